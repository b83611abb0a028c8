# Stichwerk in a container: docs/howto/docker.md
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
ARG EXTRAS=play
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[$EXTRAS]" \
    && useradd --create-home --uid 1000 player
USER 1000
WORKDIR /home/player
# Code for one kind of processor would be compiled again on another.
ENV NUMBA_CACHE_DIR=/home/player/.cache/numba NUMBA_CPU_NAME=generic
RUN stichwerk warm
EXPOSE 8765
ENTRYPOINT ["stichwerk"]
CMD ["play", "schnapsen", "--host", "0.0.0.0", "--no-browser"]
