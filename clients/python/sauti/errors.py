"""What can go wrong, and which errors are temporary."""

import ssl


class SautiError(Exception):
    """Something was refused or broke. `code` is stable, for programs; the message is for people."""

    def __init__(self, code, message, status=None, request_id=None, retry_after=None, close_code=None):
        super().__init__(message)
        self.code, self.status, self.request_id = code, status, request_id
        self.retry_after, self.close_code = retry_after, close_code


PASSING_CODES = {
    "connection_failed",
    "network_lost",
    "server_restarting",
    "engine_unavailable",
    "internal_error",
    "idle_timeout",
    "session_timeout",
    "slow_consumer",
    "expired_credential",
    "credential_already_used",
    "incomplete_final",
}


def is_passing(error):
    """Whether trying again makes sense."""
    return error.status in (429, 503) if error.status else error.code in PASSING_CODES


def connection_error(where, cause):
    """No connection could be opened. A certificate that is not trusted will not be trusted at the next attempt either."""
    if is_certificate_problem(cause):
        hint = "Name the certificate authority of the service: ca=... or SAUTI_CA."
        return SautiError("certificate_untrusted", f"{where} is not trusted: {cause}. {hint}")
    return SautiError("connection_failed", f"no answer from {where}: {cause or type(cause).__name__}")


def is_certificate_problem(cause):
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(cause):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
