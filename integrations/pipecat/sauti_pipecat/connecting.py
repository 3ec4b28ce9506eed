"""Where the service is, whom to trust there, and what its refusals mean."""

import json
import ssl
from urllib.parse import urlencode, urlsplit, urlunsplit

from websockets.exceptions import InvalidStatus

# Trying again helps against these: another session is still open, or the service has no room.
PASSING_STATUSES = {429, 500, 502, 503, 504}
LONGEST_WAIT_S = 5


def address_of(url, settings, sample_rate):
    query = {
        "model": settings.model,
        "encoding": "linear16",
        "sample_rate": sample_rate,
        "interim_results": "true",
        "endpointing": settings.silence_ms,
        "keyterm": settings.keyterms,
    }
    if isinstance(settings.language, str):
        query["language"] = str(settings.language)
    scheme, host, path, *_ = urlsplit(url)
    path = f"{path.rstrip('/')}/v1/listen"
    return urlunsplit(("ws" if scheme == "http" else "wss", host, path, urlencode(query, doseq=True), ""))


def tls_for(url, ca):
    if urlsplit(url).scheme == "http":
        return None
    context = ssl.create_default_context()
    if ca:
        context.load_verify_locations(cafile=ca)
    return context


def wait_of(refusal):
    asked = refusal.response.headers.get("Retry-After", "1")
    return min(max(float(asked), 0.25), LONGEST_WAIT_S)


def refusal_text(error):
    """The service's own message, where it sent one."""
    if isinstance(error, InvalidStatus):
        try:
            return f"{error.response.status_code}: {json.loads(error.response.body)['err_msg']}"
        except (ValueError, KeyError, TypeError):
            pass
    return str(error)
