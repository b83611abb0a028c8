"""Opening a page in the browser of the person at this machine.

Another process does it, without a terminal. To find out which browser there is may take long, and some do not
return until they are closed. Text browsers would take the keys and the lines of a terminal.
"""

import shutil
import subprocess
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread

TEXT_BROWSERS = ("browsh", "elinks", "links", "links2", "lynx", "w3m", "www-browser")


def open_page(link: str) -> None:
    """Open a link in a graphical browser if there is one. Returns at once, whatever that browser does."""
    asked = subprocess.Popen(
        [sys.executable, "-P", __file__],
        stdin=subprocess.PIPE,  # where no other person of the machine can read the link
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    Thread(target=asked.communicate, args=(link.encode(),), name="browser", daemon=True).start()


def is_graphical(browser: webbrowser.BaseBrowser) -> bool:
    """True if a browser shows pages in a window. One without a name is the system's own."""
    name = Path(getattr(browser, "name", "") or "").name
    found = shutil.which(name)
    return not {name, Path(found).resolve().name if found else ""} & {*TEXT_BROWSERS}


if __name__ == "__main__":
    page = sys.stdin.read()
    with suppress(webbrowser.Error):  # there is none
        if is_graphical(webbrowser.get()):
            webbrowser.open(page)
