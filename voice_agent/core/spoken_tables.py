"""What a voice gets wrong, word by word, sign by sign, and what is said instead."""

# ruff: noqa: RUF001 - look-alikes of common characters are meant

SPELLED = frozenset({
    "AWS", "CI", "CLI", "EOF", "EF", "IDE", "OIDC",
})  # fmt: skip
"""Abbreviations that would be read as words."""

PRODUCTS = frozenset({
    "GitHub", "GitLab", "JavaScript", "LaTeX", "MySQL", "NuGet", "NUnit", "OpenAI", "PostgreSQL", "PowerShell",
    "SQLite", "TypeScript", "YouTube", "iOS", "iPad", "iPhone", "macOS", "xUnit",
})  # fmt: skip
"""Names whose capitals are no seams between words."""

WORDS = {
    "csproj": "c s project",
    "foreach": "for each",
    "fsproj": "f s project",
    "stderr": "standard error",
    "stdin": "standard in",
    "stdout": "standard out",
    "todo": "to do",
    "vbproj": "v b project",
    "vs": "versus",
    "vscode": "V S code",
    "yml": "yaml",
}
"""Words of the trade, in lower case."""

ABBREVIATIONS = {
    "e.g.": "for example",
    "i.e.": "that is",
    "etc.": "etcetera",
    "vs.": "versus",
    "cf.": "compare",
    "approx.": "approximately",
    "Dr.": "Doctor",
    "Mr.": "Mister",
    "Mrs.": "Missus",
    "Ms.": "Miz",
    "Prof.": "Professor",
    "Ph.D.": "P H D",
    "w/o": "without",
    "n/a": "not applicable",
    "N/A": "not applicable",
    "24/7": "24 7",
    "C#": "C sharp",
    "F#": "F sharp",
    "J#": "J sharp",
    "C++": "C plus plus",
    ".NET": "dot net",
    "ASP.NET": "ASP dot net",
    "VB.NET": "V B dot net",
}
"""Most have a stop of their own, at which the voice would end the sentence."""

NUMBERED = {
    "no": "number",
    "fig": "figure",
    "p": "page",
    "pp": "pages",
    "vol": "volume",
    "ch": "chapter",
    "sec": "section",
    "eq": "equation",
    "ver": "version",
    "v": "version",
    "max": "max",
    "min": "min",
    "avg": "average",
    "jan": "January",
    "feb": "February",
    "mar": "March",
    "apr": "April",
    "jun": "June",
    "jul": "July",
    "aug": "August",
    "sep": "September",
    "sept": "September",
    "oct": "October",
    "nov": "November",
    "dec": "December",
}
"""Abbreviations with a stop, in lower case, where a number comes next; elsewhere "no." ends a sentence."""

UNITS = {
    "ns": "nanoseconds",
    "us": "microseconds",
    "μs": "microseconds",
    "ms": "milliseconds",
    "s": "seconds",
    "sec": "seconds",
    "min": "minutes",
    "h": "hours",
    "hr": "hours",
    "hrs": "hours",
    "KB": "kilobytes",
    "kB": "kilobytes",
    "MB": "megabytes",
    "GB": "gigabytes",
    "TB": "terabytes",
    "KiB": "kibibytes",
    "MiB": "mebibytes",
    "GiB": "gibibytes",
    "Hz": "hertz",
    "kHz": "kilohertz",
    "MHz": "megahertz",
    "GHz": "gigahertz",
    "px": "pixels",
    "°": "degrees",
    "°C": "degrees Celsius",
    "°F": "degrees Fahrenheit",
}
"""After a number; spelled otherwise."""

CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"}
SCALES = {"k": " thousand", "m": " million", "b": " billion"}

OPERATORS = {
    "!==": " not equal to ",
    "===": " equals ",
    "!=": " not equal to ",
    "==": " equals ",
    "<=": " less than or equal to ",
    ">=": " greater than or equal to ",
    "=>": " arrow ",
    "->": " arrow ",
    "<-": " left arrow ",
    "&&": " and ",
    "||": " or ",
    "+=": " plus equals ",
    "-=": " minus equals ",
    "++": " plus plus ",
    "<<": " shifted left by ",
    ">>": " shifted right by ",
    ":=": " becomes ",
    "::": " ",
    "<": " less than ",
    ">": " greater than ",
    "=": " equals ",
    "+": " plus ",
    "&": " and ",
    "|": " pipe ",
    "^": " caret ",
    "/": " slash ",
    "@": " at ",
}
"""Most would vanish, and the meaning would flip."""

SYMBOLS = {
    "“": '"',
    "”": '"',
    "„": '"',
    "’": "'",
    "‘": "'",
    "…": "...",
    "•": ",",
    "·": " ",
    "™": "",
    "®": "",
    "©": "",
    "→": " to ",
    "⇒": " arrow ",
    "←": " left arrow ",
    "≤": " less than or equal to ",
    "≥": " greater than or equal to ",
    "≠": " not equal to ",
    "≈": " about ",
    "×": " times ",
    "÷": " divided by ",
    "±": " plus or minus ",
    "−": "-",
    "∞": " infinity ",
    "√": " square root of ",
    "²": " squared ",
    "³": " cubed ",
    "½": " one half ",
    "¼": " one quarter ",
    "¾": " three quarters ",
    "№": " number ",
}
"""Single characters, some of which Unicode's own normal form would change beyond recognition."""

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

EXTENSIONS = (
    "bat|c|cc|cfg|cmd|config|cpp|cs|cshtml|csproj|css|csv|dll|env|exe|fs|fsproj|go|h|hpp|htm|html|ini|java|js|json|jsx|"
    "kt|lock|log|md|mjs|nupkg|pdb|php|props|ps1|py|pyi|razor|rb|resx|rs|scss|sh|sln|slnx|sql|swift|targets|toml|trx|ts|"
    "tsx|txt|vb|vbproj|wav|xaml|xml|yaml|yml"
)
"""Files in which a line can be named, as an alternation."""
