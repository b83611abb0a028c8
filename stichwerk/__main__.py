"""`python -m stichwerk train …` is `stichwerk train …`."""

from stichwerk.commands import main

if __name__ == "__main__":
    main()
