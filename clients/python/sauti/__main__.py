"""python -m sauti MODEL FILE.wav"""

import asyncio
import os
import sys

from .client import Sauti
from .errors import SautiError
from .recording import transcribe

USAGE = "usage: python -m sauti MODEL FILE.wav   (SAUTI_URL, SAUTI_API_KEY, SAUTI_CA)"


async def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(USAGE)
    model, path = arguments
    client = Sauti(os.environ.get("SAUTI_URL", "https://localhost:8443"), os.environ.get("SAUTI_API_KEY"))
    try:
        heard = await transcribe(path, model, client)
    except SautiError as error:
        raise SystemExit(f"{error} ({error.code})")
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}")
    if heard["text"] == "":
        print(f"{path}: no speech was recognised", file=sys.stderr)
    else:
        print(heard["text"])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
