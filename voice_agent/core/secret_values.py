"""Credentials that only their name or their place tells: assigned values, connection strings, headers, URLs.

What tells a secret from code here is the value: generated ones differ from words, paths, references and expressions.
"""

import re
from collections.abc import Callable

from voice_agent.core.patterns import compiled
from voice_agent.core.secret_shapes import Match, Samples, Shape

_PLACEHOLDER = compiled(
    r"‹|\$[({]|\$[A-Za-z_][\w:.]*+$|%\w++%?$|\{|<|\(|[*.xX•#?-]++$|your[-_ ]"
    r"|(?:\.{0,2}|~|[a-z]:)[\\/][\w.-]++(?:[\\/]|$)|https?:|(?:process\.env|secrets?|env|vault)[.:]|0x[0-9a-f]{1,16}$"
    r"|(?:null|none|nil|true|false|undefined|default|empty|required|optional|string|str|text|hidden|bearer|basic"
    r"|passw(?:or)?d|secret|token|api[_-]?key|changeme)\d{0,3}\W?$"
    r"|(?:u?int|float|bytes?|string|utf-?|sha-?|md|v|base|hs|rs|es|oauth|http|tls|[xiuf])\d++(?:[-_:.]|$)|\d++-[a-z]++$",
    re.I,
)
"""A value that stands for one kept elsewhere, a path, a type, the name of an algorithm."""

_WORD = r"(?:(?:[A-Z]?[a-z]{2,}+)++|[A-Za-z])"
_WORDS = compiled(rf"{_WORD}(?:[-_. :/+]{_WORD})*+$|[A-Z]{{1,8}}$|[A-Z]++(?:[_-][A-Z]++)++$")
_EXPRESSION = compiled(r"[A-Za-z_]++\d{0,2}(?:[.?!:]++[A-Za-z_]++\d{0,2})*+$")
_PASSWORD = compiled(r"pass|pwd", re.I)
_LABEL = compiled(r"\s\S{0,20}(?:password|secret|token|key)|(?:password|secret|token|key)\S{0,20}\s", re.I)


def _is_given(match: Match) -> bool:
    return not _PLACEHOLDER.match(match["value"])


def _is_generated(match: Match) -> bool:
    """Six characters or more that are neither words nor a number nor a placeholder."""
    value = match["value"]
    if len(value) < 6 or _PLACEHOLDER.match(value) or _WORDS.match(value):
        return False
    return any(character.isalpha() for character in value)


def _is_literal(match: Match) -> bool:
    """A quoted value: of a password, anything that is not a label; of a token or key, what looks generated."""
    value = match["value"]
    if _PASSWORD.match(match[0]):
        return len(value) >= 3 and _is_given(match) and not _LABEL.search(value)
    return len(value) >= 8 and " " not in value and _is_generated(match)


def _is_bare(match: Match) -> bool:
    """An unquoted value that looks generated and is not code: an expression, a named argument."""
    value, after = match["value"], match.string[match.end() : match.end() + 1]
    if _EXPRESSION.match(value) and ("." in value or (after in (";", ",", ")") and " " in match[0])):
        return False
    if _PASSWORD.match(match[0]) and value.isdigit():
        return len(value) >= 6
    return _is_generated(match) and bool(re.search(r"[^A-Za-z_.-]|[A-Z]{2}", value))


def _is_setting(match: Match) -> bool:
    """An upper-case name as in environments: without blanks anything but a reference, a switch or a number."""
    value, separator = match["value"], match["separator"]
    if not match["key"].isupper() or not _is_given(match):
        return False
    if _PASSWORD.match(match["key"]) and (separator == "=" or separator.strip() == ":"):
        return True
    return _is_bare(match) or (separator == "=" and len(value) >= 6 and value.isalpha())


def _is_flag(match: Match) -> bool:
    before = match.string[max(0, match.start() - 40) : match.start()]
    name = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyz-")) :]
    return name.startswith("-") and _is_generated(match)


def _is_connection_password(match: Match) -> bool:
    """Has a setting of a connection beside it; a comma alone is how arguments are told apart, too."""
    text, start = match.string, match.start()
    line = text[max(text.rfind("\n", 0, start) + 1, start - 300) : start]
    before = ";" in line and _CONNECTION_BEFORE.search(line)
    after = _CONNECTION_AFTER.match(text, match.end())
    if not before and (not after or (after[0][0] == "," and _WORDS.match(match["value"]))):
        return False
    return _is_given(match)


_CONNECTION_KEY = (
    r"(?:server|data source|address|host|port|user(?: ?id|name)?|uid|database|initial catalog|encrypt|trust\w{0,30}"
    r"|integrated security|persist security info|pooling|m(?:ax|in) pool size|(?:connect(?:ion)? |command )?timeout"
    r"|ssl ?(?:mode)?|multipleactiveresultsets|app(?:lication)? ?name|accountname|endpoint|provider|driver|charset"
    r"|abortconnect|allowadmin|search path|include error detail)[ \t]{0,3}="
)
_CONNECTION_BEFORE = compiled(rf"\b{_CONNECTION_KEY}[^;\r\n]{{0,200}}+;", re.I)
_CONNECTION_AFTER = compiled(rf"[;,][ \t]{{0,5}}{_CONNECTION_KEY}", re.I)
_CONNECTION_PASSWORD = (
    rf"\b(?:password|pwd)[ \t]{{0,3}}=[ \t]{{0,3}}(?P<value>(?:(?![;,][ \t]{{0,5}}{_CONNECTION_KEY}"
    r"|;[ \t]{0,5}(?:[\"']|$)|['`](?:[\s,;)\]}]|$))[^\"\r\n]){1,200}+)"
)

_QUALIFIERS = "api|access|account|private|signing|encryption|validation|decryption|subscription|shared|master|storage"
_KEY = (
    r"(?>(?:pass(?:word|wd|phrase)|pwd|(?<!‹)secret|(?<!publickey)(?<!cancellation)token|_auth"
    rf"|(?:{'|'.join(f'(?<={word})|(?<={word}[_ -])' for word in _QUALIFIERS.split('|'))})key)"
    r"(?:[_-]?(?:access[_-]?)?(?:key|value|prod|dev|test|staging|live|old|new|[0-9]{1,3})(?:_base)?)?)"
)
_END = r"\\{0,3}[\"']?\]?"
_EQUALS = r"(?::[ \t]{0,4}[a-z][\w.?\[\]]{0,30}+[ \t]{1,4})?\s{0,8}(?:[:=]{1,2}>?|(?<= )(?:is|was|to)(?= ))"
_IN_QUOTES = r"(?:(?!(?P=quote))(?:\\[^\r\n]|[^\r\n\\]))"
_QUOTED = (  # a line end belongs to the value where its quote is closed on the next line
    r"[@$a-z]{0,2}(?P<quote>\"{3}|'{3}|\\{0,3}[\"'`]|&quot;)(?![\s;,)])"
    rf"(?P<value>{_IN_QUOTES}{{1,1000}}+(?:\r?\n{_IN_QUOTES}{{1,300}}+(?=(?P=quote)))?)"
)
_BARE = (  # a separator belongs to the value where no next key follows
    r"(?P<value>(?:[^\s\"'`<>(){}\[\],;|&\\]|[,;|&](?=[^\s\"'])(?![\w .-]{1,40}[=:])){3,300}+)(?![(\[{])"
)


def _assigned(pattern: str, credible: Callable[[Match], bool], positive: Samples, negative: Samples = ()) -> Shape:
    anchors = ("passw", "passphrase", "pwd", "secret", "token", "_auth", "key")
    return Shape("credential", anchors, compiled(pattern, re.I), positive, negative, credible)


VALUES = (
    Shape(
        "url-password",
        ("://",),
        compiled(r"://[^\s/:@?#\"'<>]{0,100}+:(?P<value>[^\s/?#\"'<>]{1,300})@"),
        ("https://dev:EXAMPLEpw@git.example.test/r.git", "redis://:EXAMPLE@p@cache.example.test:6379"),
        (
            "ssh://git@git.example.test:22/r.git",
            "http://127.0.0.1:8080/a@b",
            "https://${USER}:${PASSWORD}@example.test",
        ),
        _is_given,
    ),
    Shape(
        "azure-key",
        ("accountkey=", "sharedaccesskey=", "?sig=", "&sig=", ";sig="),
        compiled(r"(?:\w{9,15}|[?&;]sig)=(?P<value>[\w+/=%-]{16,200}+)", re.I | re.A),
        ("AccountName=a;AccountKey=EXAMPLE/EXAMPLE+EXAMPLE==;", "?sv=1&sig=EXAMPLE%2BEXAMPLE%3D&se=2"),
        ("AccountKey=$(Key)", "&sig=short"),
    ),
    Shape(
        "authorization",
        ("bearer ", "basic "),
        compiled(r"(?:bearer|basic) {1,4}(?P<value>[\w+/=.~-]{8,4000}+)", re.I | re.A),
        ("Authorization: Bearer EXAMPLEabc123", "authorization: basic EXAMPLEZGV2OkVY="),
        ("uses basic authentication", "the bearer presents a token"),
        _is_generated,
    ),
    Shape(
        "password",
        ("curl ", "sqlcmd "),
        compiled(
            r"(?:curl [^\r\n]{0,200}? (?:-u|--user)[ =]?[\"']?[^\s:\"']{1,60}:|sqlcmd [^\r\n]{0,200}? -P ?[\"']?)"
            r"(?P<value>[^\s\"']{1,200}+)"
        ),
        ("curl -s -u dev:EXAMPLEpw https://example.test", "sqlcmd -S db -U sa -P EXAMPLEpw"),
        ("curl -u dev https://example.test", "curl -u $USER:$PASSWORD https://example.test"),
        _is_given,
    ),
    Shape(
        "password",
        ("login ",),
        compiled(r"login\s{1,8}\S{1,100}+\s{1,8}password\s{1,8}(?P<value>\S{1,200}+)"),
        ("machine example.test login dev password EXAMPLEpw",),
        ("the login and its password",),
        _is_given,
    ),
    Shape(
        "password",
        ("password", "pwd"),
        compiled(_CONNECTION_PASSWORD, re.I | re.M),
        ("Server=db;User Id=sa;Password=EXAMPLE-p@ss;word1;Encrypt=true", "cache:6379,password=EXAMPLEpw,ssl=True"),
        ("Server=db;Trusted_Connection=True", "Server=db;Password=${PASSWORD};", "open(password=value, timeout=5)"),
        _is_connection_password,
    ),
    _assigned(
        _KEY + _END + _EQUALS + r"\s{0,8}" + _QUOTED,
        _is_literal,
        ('password = "EXAMPLE;pw"', "'client_secret': 'EXAMPLE0000'", 'string apiKey = "EXAMPLE-0000";'),
        ('password = ""', "secret: 'my-secret-name'", 'label = "Password:" + "x"', 'PublicKeyToken="b77a5c561934e089"'),
    ),
    _assigned(
        _KEY + r"(?:[\"']\s{1,8}value\s{0,3}=\s{0,3}|[\"'],?[ \t]{1,4})" + _QUOTED,
        _is_generated,
        ('<add key="ApiKey" value="EXAMPLE0000" />', 'user-secrets set "Jwt:Secret" "EXAMPLE0000"'),
        ('[InlineData("password", "word")]', '<add key="Token" value="$(Token)" />'),
    ),
    _assigned(
        _KEY + r">(?P<value>[^<>\s]{3,300}+)</",
        _is_literal,
        ("<Password>EXAMPLEpw</Password>",),
        ("<UserSecretsId>13ff94ac-c450-e0a7-5955-a529040dfc97</UserSecretsId>", "<Password>$(Password)</Password>"),
    ),
    _assigned(
        rf"(?P<key>{_KEY})(?P<separator>[ \t]{{0,4}}[=:][ \t]{{0,4}})"
        r"(?P<value>[^\s\"'`<>][^\s\"'<>]{2,300}(?<![;,)\]}]))",
        _is_setting,
        ("DB_PASSWORD=EXAMPLEpw", "POSTGRES_PASSWORD: EXAMPLE", "export TOKEN=EXAMPLE0000"),
        ("PASSWORD=$PASSWORD", "OLDPWD=/home/dev/shop1", "MAX_TOKEN=4096", "TOKEN = None"),
    ),
    _assigned(
        _KEY + _END + r"[ \t]{0,4}[:=]{1,2}[ \t]{0,4}" + _BARE,
        _is_bare,
        ("password: EXAMPLEhunter2", "?access_token=EXAMPLE0000&page=2", "_password=EXAMPLE&0000"),
        (
            "token = lexer.Next2()",
            "password: user.Password",
            "token: sha256-based",
            "password = password2;",
            "token: 42",
        ),
    ),
    _assigned(
        _KEY + r"[ =][ \t]{0,3}" + _BARE,
        _is_flag,
        ("dotnet nuget push --api-key EXAMPLE0000",),
        ("dotnet nuget push --api-key $KEY", "the --token flag"),
    ),
    _assigned(
        r"(?:" + _KEY + r"|key) {1,3}(?:is|was|to) {1,3}[\"'`]?(?P<value>[^\s\"'`<>(){}]{3,200}(?<![.,;:?]))",
        _is_bare,
        ("The password is hunter2EXAMPLE.", "set the token to EXAMPLE0000"),
        ("The token is expired.", "the password is base64-encoded", "the key is F9"),
    ),
)
