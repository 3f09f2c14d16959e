"""Credentials that tell themselves by their own shape: name, where to look, pattern, samples.

Every repetition in a pattern is bounded or possessive: the work grows with the length of the text, never faster.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from voice_agent.core.patterns import compiled

Match = re.Match[str]
Samples = tuple[str, ...]


@dataclass(frozen=True)
class Shape:
    """One kind of credential.

    `anchors` are lower-case literals at which `pattern` is tried; its group `value`, else the whole match, is the
    secret. `credible` has the last word on a match. The samples are tests: each `positive` one holds a credential,
    with EXAMPLE in it, no `negative` one does.
    """

    name: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    positive: Samples
    negative: Samples = ()
    credible: Callable[[Match], bool] = lambda match: True

    @property
    def group(self) -> str | int:
        return "value" if "value" in self.pattern.groupindex else 0


_LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
"""Nothing but an escape may touch a token on its left."""


def _token(name: str, prefixes: str, body: str, positive: Samples, negative: Samples = ()) -> Shape:
    """Credentials that begin with one of the blank-separated `prefixes`."""
    known = prefixes.split()
    pattern = compiled(rf"{_LEFT}(?:{'|'.join(map(re.escape, known))}){body}", re.A)
    return Shape(name, tuple(prefix.lower() for prefix in known), pattern, positive, negative)


_PRIVATE_KEY = compiled(
    r"-----BEGIN (?:(?!PRIVATE)[A-Z0-9]{2,12}+ ){0,3}+PRIVATE KEY(?: BLOCK)?-----"
    r"(?=[\s\S]{0,400}?[A-Za-z0-9+/]{8})(?:"
    r"(?:(?!-----)[A-Za-z0-9+/=\s\\:,.;\"'@_#>|*-]){0,20000}+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s|\\[nr]|[A-Za-z0-9+/=]{12,100}+){2,400}+)"  # cut off before its end
    r"|Private-Lines: ?\d{1,4}\s(?:[A-Za-z0-9+/=]{4,100}+\s?+){1,100}+"  # PuTTY
    r"|<RSAKeyValue>(?=[\s\S]{0,3000}?<D>)[A-Za-z0-9+/=<>\s]{1,6000}+"  # .NET
)

TOKENS = (
    Shape(
        "private-key",
        ("-----begin ", "private-lines:", "<rsakeyvalue>"),
        _PRIVATE_KEY,
        (
            "-----BEGIN EC PRIVATE KEY-----\nRVhBTVBMRUVYQU1QTEUEXAMPLE\n-----END EC PRIVATE KEY-----",
            'k = "-----BEGIN PRIVATE KEY-----\\nRVhBTVBMRUVYQU1QTEUEXAMPLE\\n-----END PRIVATE KEY-----\\n"',
            "-----BEGIN RSA PRIVATE KEY-----\nRVhBTVBMRUVYQU1QTEUEXAMPLE\nRVhBTVBMRUVYQU1QTEUEXAMPLE",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nRVhBTVBMRUEXAMPLE\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
            "Private-Lines: 2\nRVhBTVBMRUVYQU1QTEUEXAMPLE\nRVhBTVBMRUVYQU1QTEUEXAMPLE\nPrivate-MAC: 0",
            "<RSAKeyValue><Modulus>RVhBTVBMRQ==</Modulus><D>EXAMPLE=</D></RSAKeyValue>",
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nRVhBTVBMRUVYQU1QTEU\n-----END PUBLIC KEY-----",
            'pem.StartsWith("-----BEGIN PRIVATE KEY-----", StringComparison.Ordinal)',
        ),
    ),
    Shape(
        "jwt",
        ("eyj",),
        compiled(
            rf"{_LEFT}(?<![_-])eyJ[\w-]{{6,4000}}+\.(?:[\w-]{{8,8000}}+|(?=\.))(?:\.[\w-]{{0,4000}}+){{0,4}}+", re.A
        ),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJFWEFNUExFIn0.EXAMPLEsig", "eyJhbGciOiJkaXIifQ..EXAMPLEiv.EXAMPLEct.tag"),
        ("eyJhIjoxfQ.json", "the base64 of an object begins with eyJ"),
    ),
    _token("anthropic-key", "sk-ant-", r"[\w-]{8,400}+", ("key=sk-ant-api03-EXAMPLE0000EXAMPLE",), ("sk-ant-farm",)),
    _token(
        "openai-key",
        "sk-",
        r"(?=[\w-]{0,20}?[A-Za-z0-9]{16})[\w-]{20,400}+",
        ("sk-EXAMPLE0000EXAMPLE0000EXAMPLE", "sk-proj-EXAMPLE0000EXAMPLE0000_EXAMPLE"),
        ("sk-cube-grid-item-animation-12-delay", "task-EXAMPLE0000EXAMPLE0000EXAMPLE"),
    ),
    _token(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\w{16,400}+",
        ("ghp_EXAMPLEEXAMPLEEXAMPLE00", '"\\nghs_EXAMPLEEXAMPLEEXAMPLE00"', "github_pat_EXAMPLE00000_EXAMPLE000"),
        ("ghp_short", "github_pat_test"),
    ),
    _token(
        "gitlab-token", "glpat- gldt- glrt- glptt- glsoat- glcbt-", r"[\w-]{12,200}+", ("glpat-EXAMPLE-EXAMPLE_000",)
    ),
    _token(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- xoxs- xapp-",
        r"[\w-]{10,400}+",
        ("xoxb-00000-EXAMPLE000",),
    ),
    _token("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"\w{10,200}+", ("rk_test_EXAMPLE000EXAMPLE",)),
    _token(
        "npm-token", "npm_", "[A-Za-z0-9]{20,200}+", ("npm_EXAMPLEEXAMPLEEXAMPLE00",), ("npm_config_registry=EXAMPLE",)
    ),
    _token("pypi-token", "pypi-", r"[\w-]{40,400}+", ("pypi-AgEIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE",)),
    _token("hugging-face-token", "hf_", "[A-Za-z0-9]{20,200}+", ("hf_EXAMPLEEXAMPLEEXAMPLE00",), ("hf_hub_download",)),
    _token("nuget-key", "oy2", "[A-Za-z0-9]{40,60}+", ("oy2EXAMPLE00000000000000000000000000000EXAMPLE0",)),
    _token(
        "google-key",
        "AIza GOCSPX- ya29.",
        r"[\w-]{20,400}+",
        ("AIzaEXAMPLE00000EXAMPLE00000EXAMPLE0000", "GOCSPX-EXAMPLE0EXAMPLE0EXAMPL"),
    ),
    _token(
        "aws-key",
        "AKIA ASIA ABIA ACCA",
        "[A-Z0-9]{12,40}+",
        ("AKIA0000EXAMPLE00000", "ASIAEXAMPLE0EXAMPLE0"),
        ("the prefixes AKIA and ASIA", "ASIAPACIFIC"),
    ),
    _token(
        "provider-token",
        "dop_v1_ doo_v1_ dckr_pat_ shpat_ shpss_ hvs. hvb. lin_api_ ntn_ figd_ PMAK- gsk_ xai- r8_ pplx- nvapi- glsa_"
        " glc_ sntrys_ sntryu_ sbp_ NRAK- ATATT3 ATCTT3 pul- rubygems_ AGE-SECRET-KEY-1 CfDJ8 pscale_tkn_ tskey-"
        " xkeysib- SG.",
        r"(?=[\w.-]{0,20}?[A-Z0-9])[\w.-]{20,400}+",
        ("dop_v1_0123456789abcdef0123EXAMPLE", "SG.EXAMPLE0000EXAMPLE.EXAMPLE0000"),
        ("ntn_some_ordinary_identifier_name",),
    ),
    Shape(
        "webhook",
        ("hooks.slack.com/services/", "discord.com/api/webhooks/", "webhook.office.com/webhookb2/"),
        compiled(r"[a-z.]{15,20}/(?:services|api/webhooks|webhookb2)/(?P<value>[\w/@-]{16,400}+)", re.I | re.A),
        ("https://hooks.slack.com/services/T00000000/B00000000/EXAMPLEEXAMPLE",),
    ),
)
