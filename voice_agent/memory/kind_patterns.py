"""By which words a clause shows its kind."""

import re

from voice_agent.core.patterns import compiled

_COUNT = r"(?:\d+|no|zero|one|two|three|four|five|six|seven|eight|nine|ten|several|some|many|all)"
_TROUBLE = r"(?:errors?|warnings?|failures?|issues?|diagnostics?|violations?)"
_RESULT = r"(?:red|green|broken|failing|failed|fails?|passing|passed|pass(?:es)?|clean|dirty|succeed(?:s|ed|ing)?)"
_RUN = (
    r"(?:builds?|tests?|ci|pipeline|suite|compilation|tree|linter|lint|type ?check(?:er)?|mypy|ruff|clippy|eslint|tsc)"
)
_NOW = (
    r"(?:is|are|was|were|went|goes|stays|still|now|currently|again|remains?|turned|looks?|came back|"
    r"has been|have been|just)"
)
_NEVER = r"(?:n['’]t|not)"
_PEOPLE = r"(?:user|developer|dev|he|she|they|we|i|team)"
_TOOL = (
    r"(?:(?:the |our |your |this |my |all )?(?:\w+ )?tools?|`?(?:git_\w+|dotnet_\w+|read_file|show_on_screen|run_\w+|"
    r"\w+_(?:build|test|file|status|diff|log))`?)"
)


def _any(*patterns: str) -> re.Pattern[str]:
    return compiled("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


TOOLS = _any(
    r"^(?:the )?(?:agent|assistant|search|shell|sandbox)\s+(?:can ?not|can['’]t|can only|does not|doesn['’]t|only)\b",
    r"\b(?:available|allowed|visible) to me\b",
    rf"^{_TOOL}\s+(?:now |still |only |always |also |apparently )?"
    rf"(?:can|can ?not|can['’]t|could(?: ?{_NEVER})?|does(?: ?{_NEVER})?|do(?: ?{_NEVER})?|needs?|rejects?|refuses?|"
    r"works?|fails?|takes?|accepts?|returns?|reports?|requires?|wants?|times? out|is|are|must|expects?|ignores?|"
    r"shows?|reads?|only)\b",
    r"\bonly (?:the )?(?:whole|full|entire)[\w -]*\b(?:builds?|runs?)? ?works?\b",
    r"\b(?:with|without|has|takes|pass|give)(?: it)?(?: no| a| an| the| any)? (?:project|path|filter) "
    r"(?:argument|parameter)s?\b",
    r"\b(?:argument|parameter|path|project)s? (?:i|we) (?:guessed|tried|used|passed|gave)\b",
    rf"\b(?:build|run|test)(?:ing|s)? .{{0,60}}\b(?:with|through|by) {_TOOL}(?:\W|$)",
    rf"^{_TOOL} (?:with|on|for) .*\b(?:fails?|works?|hangs?|times out|is (?:refused|rejected))\b",
    rf"^{_TOOL} (?:has|have|offers?) no\b",
    r"^i (?:can ?not|can['’]t|can only|could not|couldn['’]t) (?:read|open|see|build|run|reach|test|find)\b",
    r"\boutside the repository\b",
    rf"^(?:known )?{_TOOL} (?:limitation|limit|restriction|quirk|note)s?\b",
    rf"\b(?:refused|rejected|(?:not )?(?:accepted|supported|allowed|found)|ignored) by {_TOOL}(?:\W|$)",
)
"""What tools can and cannot do: true of one version of this program."""

DECISION = _any(
    r"^(?:\W*)decisions?\b",
    r"\bdecided\b",
    r"\b(?:chose|agreed|settled on|opted)\b",
    r"\b(?:was|were|been) (?:chosen|rejected)\b",
    r"^(?:rejected|dropped|settled)\b",
    r"\b(?:moved|switched|changed|migrated) (?:away )?from\b.+\bto\b",
    r"\bwent with\b",
    r"\bwon over\b",
    r"\bpicked\b.+\b(?:over|because)\b",
)

PLAN = _any(
    r"\bto-?dos?\b",
    r"^\s*\[[ xX]\]",
    r"\bleft to (?:do|finish|fix)\b",
    r"\bto (?:do|be done)\b(?! (?:with|so))",
    r"^(?:what(?:['’]s| is) left|remaining|remains|next(?: steps?| up)?|plan(?:s|ned)?|paused|"
    r"pending(?! changes)|blocked|up next|wip|"
    r"in progress)\b",
    r"\bnext step\b",
    r"\b(?:plan(?:s|ning)?|intends?|wants|hopes|going|about|yet|needs) to "
    r"(?!be\b|know\b|see\b|hear\b|have\b|stay\b|keep\b)\w+",
    r"\b(?:will|['’]ll)\b (?!not\b|always\b|never\b|fail|be (?:red|green))",
    r"\bin the middle of\b",
    r"\bhalf-?(?:way|done|finished)\b",
    r"\b(?:in|work(?:ing)? in) progress\b",
    r"\bworking on\b",
    r"^(?:\w+ )?plans?(?: for \w+)?:",
    r"\bopen (?:tasks?|items?|points?|questions?|work)\b",
    r"\b(?:was|were) (?:just |busy )?[a-z]+ing\b.*\b(?:when|until|before)\b",
    r"^(?:about )?half of\b",
    r"\bmissing for\b",
    r"^on \w+day\b(?! the)",
    r"\bleft off\b",
    r"\b(?:thirds?|quarters?|percent|%) (?:through|done|finished|complete)\b",
    r"\b(?:nearly|almost|partly|mostly) (?:done|finished|complete)\b",
    r"\bto go$",
    r"\b(?:has|have) (?:begun|started)\b",
    r"\bagain on \w+day\b",
    r"\b(?:still|left|remains?) (?:open|for|over)\b",
    r"\bremaining (?:work|steps?|tasks?|call)\b",
    r"\b(?:on hold|for now|stalled|abandoned)\b",
    r"^needs (?:a |another )?(?:review|rebase|merge|cleanup|tests)\b",
    r"\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next week|later)\s*$",
)

STATE = _any(
    r"\b(?:lines?|ln|l\.) \d+",
    r"[\w/]\.\w+:\d+",
    r"\b(?:uncommitted|unstaged|untracked|unpushed)\b",
    r"\bnothing (?:pushed|staged|committed)\b",
    r"\b(?:commits?|revisions?) (?:ahead|behind)\b",
    r"\b(?:ahead of|behind)\b.*\bby \d+",
    r"(?<!per )(?<!each )(?<!every )\b(?:changed|modified|staged|dirty) files?\b",
    rf"\b{_COUNT} (?:\w+ )?(?:files?|lines?) (?:are |were |have |has )?(?:been )?"
    r"(?:changed|modified|staged|dirty|different)\b",
    rf"\b{_RUN}\b(?: \w+){{0,2}}? {_NOW}(?: \w+){{0,2}}? {_RESULT}\b",
    rf"\b{_RUN}\b(?: currently| still| now)? (?:fails?|failed|passe[sd]|succeeded|broke)\b",
    r"\b(?:red|broken|failing|green) (?:core |main |last )?(?:builds?|tests?)\b(?! (?:should|must|are|mean|count))",
    rf"^{_RUN} {_RESULT}$",
    rf"\b{_COUNT} (?:of \d+ )?(?:\w+ ){{0,2}}tests? (?:are |were |still )?(?:fail|pass|skip|red|green)",
    r"\b\d+ (?:passed|failed|skipped)\b",
    r"\b(?:has|have|had|shows?|showed|reports?|reported|with|gives?|gave|produces?|produced|are|were|is|was|left|"
    rf"remaining) (?:only |still |just )?{_COUNT}(?: \w+)? {_TROUBLE}\b",
    rf"^{_COUNT} (?:\w+ )?{_TROUBLE}\b(?! (?:allowed|codes?))",
    r"\bopen (?:build |compiler |compile |test )?(?:errors?|failures?)\b",
    r"\b(?:build|compiler?|compilation|syntax|type) errors?\b.*\b(?:in|at|still|on)\b",
    r"\b(?:fails?|failed|failing|breaks?) (?:to (?:build|compile)|with|at|in|on)\b",
    r"\b(?:everything|it|all|code|core|solution|project|nothing) (?:now |still |currently )?(?:compiles|builds)"
    r"(?: now| again| clean\w*|\s*$)",
    r"\bstill (?:uses?|references?|calls?|fails?|says?|points?|has|have|contains?|reads?)\b",
    r"\bcomplain(?:s|ing|ed)\b",
    r"\bup[ -]to[ -]date with\b",
    r"\b(?:files?|lines?|branch) (?:differs?|differ) from\b",
    r"\bstash(?:es)? (?:holds?|has|have|contains?)\b",
    r"\b(?:build|test|git|ci) status\b",
    r"\b(?:linter|formatter|compiler|analy[sz]er) (?:found|finds|had) (?:nothing|no)\b",
    r"\b(?:is|are|was|were) (?:still |now |all |both |currently )?(?:red|green|clean|dirty|broken)\b",
    r"\bpending changes\b",
    r"\b(?:builds?|built|compil\w+|passes|passed) (?:cleanly|without (?:any )?(?:errors?|warnings?))\b",
    r"\b\d+ (?:run|ran|failures?|errors?)\b(?! codes?)",
    r"\b(?:everything|all) (?:is |was |are )?(?:still |now )?(?:green|red)\b",
    rf"\b(?:does|do|did|wo|will|would|ca|can)(?: ?{_NEVER}| currently not) (?:currently |yet )?(?:compile|build|"
    r"pass)\b",
    r"\b\d+ ?/ ?\d+ (?:tests? )?(?:green|red|pass|fail|ok)",
    rf"\b(?:has|have|had|shows?|showed|with|gives?|gave|ended in) (?:a|an|one) (?:\w+ )?{_TROUBLE}\b",
    rf"^(?:build |test |open )?{_TROUBLE}: \d+",
    r"\b(?:exit(?:s|ed)?|ended|returned) with (?:code|status|exit code)\b",
    r"\b(?:compiler?|linter|analy[sz]er|mypy|ruff|eslint|clippy|tsc|roslyn|sonar) "
    r"(?:\w+ )?(?:flags?|flagged|reports?|reported|says?|said|rejects?|warns?|finds?|found)\b",
    r"\blocal (?:edits?|changes|modifications)\b",
    r"\bno longer (?:exists?|compiles?|builds?|pass(?:es)?|fails?)\b",
    r"\btree (?:is|was)\b",
    r"\b(?:latest|last|current|head) commit\b",
    r"\bhead (?:is|was) (?:at )?[0-9a-f]{7}",
    r"\b(?:does|did) not exist\b",
    r"\b(?:currently|now) on (?:branch )?[\w/-]+$",
    r"\bcurrent branch\b",
    r"\bwith (?:one|\d+) [A-Z]{2,}\d+\b",
)

_SUBJECT = (
    r"(?:(?:build|pipeline|check|migration|container|deployment|server|daemon|branch|database|replica|job|workflow|"
    r"conflict|snapshot|dependenc(?:y|ies)|service|worker|\w*test|test_\w+)(?:e?s)?|suite|ci|lint(?:er)?|"
    r"(?:working )?tree|db|disk|redis|queue|cache|schema|head|node_modules|lock ?file|pr \d+|"
    r"[\w-]+\.(?:json|lock|toml))"
)
_CONDITION = (
    r"(?:red|green|broken|clean|dirty|passing|failing|failed|down|stuck|outdated|stale|missing|pending|unreachable|"
    r"empty|full|flaky|out of (?:sync|date|space)|detached|diverged|unresolved|unapplied|obsolete|offline|crash\w*|"
    r"restarting|hanging|unhealthy|not (?:running|reachable|been|found|finished|applied|up)|rot|grün|kaputt|sauber)"
)
_CHECKER = (
    r"(?:npm|yarn|pnpm|cargo|go|mvn|maven|gradle|cmake|ctest|make|dotnet|msbuild|pytest|tox|mypy|ruff|tsc|eslint|clippy|"
    r"terraform|helm|docker|kubectl|jest|vitest|phpunit|rspec|race detector|linter|compiler)"
)
_FOUND = (
    r"(?:errors?|warnings?|failures?|issues?|problems?|vulnerabilit(?:y|ies)|violations?|findings?|conflicts?|"
    r"stash(?:es)?|failed|passed|skipped|failing)"
)
CONDITION = _any(
    rf"\b{_SUBJECT}(?: [\w./-]+){{0,4}} "
    r"(?:is|are|was|were|has|have|keeps?|kept|still|looks?|remains?|ist|sind|war|noch)"
    rf" (?:\w+ ){{0,2}}{_CONDITION}\b",
    r"^(?:[\w/-]+ ){1,3}(?:is|was|has|went) (?:still |now )?(?:diverged|detached|unreachable)\b",
    rf"^(?:the )?{_SUBJECT} (?:still )?{_CONDITION}\b(?! (?:builds?|tests?|is|are|must|should))",
    rf"\b{_CHECKER}(?: [\w-]+){{0,2}} (?:finds?|found|reported|shows?|showed|stops|stopped|succeeded|failed|can ?not|"
    r"could not|passed|exits|exited|ended|hangs|hung|complains?|is (?:clean|happy|green|red|silent))\b",
    rf"\b{_COUNT} (?:[\w-]+ ){{0,3}}{_FOUND}\b(?! (?:codes?|allowed))",
    r"\b[A-Z]{2,4}\d{3,5}\b.{0,40}\b(?:in|for|at) \S+[./]\w",
    r"\b(?:not|un)[ -]?(?:staged|committed|pushed|committete)\b|\buncommit\w+",
    r"\b(?:everything|all|nothing) (?:is |was )?(?:committed|pushed|staged)\b|\bstash entr(?:y|ies)\b",
    r"\b\d+ (?:commits? )?(?:ahead|behind|vor|hinter)\b|\bmerge conflicts? in\b",
    r"\binstalled (?:here|locally|on this)\b",
    r"\b(?:last|latest|nightly) (?:\w+ )?(?:build|run)\b.{0,40}\b(?:took|timed|was|ended|had|failed|crashed)\b",
    r"\b(?:build|tests?|pipeline|ci)\b.{0,20}\b(?:läuft|laufen|schlägt|schlagen)\b.{0,20}\b(?:nicht|fehl|durch)\b",
    r"\b(?:compilation|build|link(?:er)?) error in\b|\bunresolved (?:reference|symbol)",
)
"""A passing condition of what a tool looks at, or what it counted."""

NOW = _any(
    r"\b(?:right now|at the moment|as of|today|at present|currently|gerade|momentan|derzeit|aktuell)\b",
)
"""By which a line says itself that it will not last."""

MEASURED = _any(
    rf"\b{_RUN}\b",
    r"\b(?:compil(?:es?|ed|er|ing)|solution|committed|commits?|modified|pushed|restored?|main|master|branch|"
    r"checked out|coverage|reference)\b",
    rf"\b{_TROUBLE}\b",
    r"\b[A-Z]{2,4}\d{3,5}\b",
)
"""What a tool looks at."""

LATELY = _any(
    r"\b(?:currently|at the moment|right now|as of|at present|so far|last|latest|still|since the last|"
    r"remain(?:s|ing)?)\b",
    r"\bnow$|\b(?:has|have) (?:been|moved|gone)\b|\bsince (?:yesterday|\w+day)\b",
    r"\b(?:broken|dirty|red|green|failing|failed|fails|skipped|clean)\b",
    r"\bnot (?:yet |been )*(?:committed|pushed|staged|built|run)\b",
    r"\bexit(?:s|ed)? (?:with )?\d",
    r"\b(?:took|except for|(?:could|did) ?(?:not|n['’]t)|ahead|behind|percent)\b|\d ?%",
    r"\(\d+,\d+\)",
)
"""By which one sees that it was looked at once: together with what a tool looks at, it is state."""

BEHAVIOUR = _any(
    r"\b(?:known issue|every \w+ run|by design|on purpose|intentionally|whenever|usually|sometimes|in general)\b",
    r"\b(?:when|if|unless)\b",
)
"""What is always so, whatever the last run showed."""

CERTAIN = _any(r"\blines? \d+ (?:still|of|in)\b", r"\buncommitted\b", r"\.\w+:\d+")
"""State that no rule would speak of."""

CONVENTION = _any(
    r"\b(?:always|never|must(?:n['’]t)?|should(?:n['’]t)?|shall|ought)\b",
    r"\bprefers?\b",
    r"\b(?:is|are|as) (?:just |only |pure |all )?noise\b",
    r"\b(?:is|are) (?:real|(?:an )?errors?|forbidden|banned|required|mandatory|allowed|not allowed|optional|ok(?:ay)?|"
    r"fine|expected|intentional|deliberate)\b",
    r"\bcounts? as\b",
    r"\btreat(?:s|ed)? .*\bas\b",
    r"\bwarnings? (?:do |does )?(?:not |don['’]t )?matters?\b",
    r"\b(?:does|do)(?:n['’]t| not) care about\b",
    r"\bneeds? (?:\w+ )?(?:docs|documentation|tests|a test|an? entry|review)\b",
    r"\b(?:starts?|ends?|begins?) with\b",
    r"\bgo(?:es)? against\b",
    r"\b(?:not|less|more|very) important\b",
    r"\b(?:sorted|formatted|indented|named|grouped) (?:by|with|after|in|like)\b",
    r"\b(?:spaces|tabs|trailing|indent(?:ed|ation)?)\b",
    r"\bignored?\b",
    r"\bconventions?\b",
    r"\b(?:we|they|team|repo|project|codebase|everyone) (?:all )?(?:uses?|writes?|keeps?|follows?|avoids?|don['’]?t|"
    r"names?|puts?|formats?|indents?)\b",
    r"^(?:please )?(?:don['’]?t|do not|use|keep|run|write|avoid|put|name|format|follow|respect|skip|leave|ask|say|"
    r"speak|answer|commit|squash|rebase|add|no(?! (?:errors?|warnings?|failures?)))\b",
    rf"\b{_PEOPLE} (?:wants?|likes?|dislikes?|hates?|asks? (?:for|that))\b",
    r"\bfollows? \w+_\w+",
    r"\bstyle\b.*\b(?:is|guide)\b",
    r"\b(?:messages?|names?|comments?|docs?|tests?) (?:are|is) (?:written|named|kept|put)\b",
    r"\b(?:allowed|forbidden)\b",
)

_NO_DEED = (
    r"(?! (?:is|are|was|codes?|lives?|tests?|endings?)\b)"
    r"(?<!\bnothing)(?<!\beverything)(?<!\busing)(?<!\bduring)(?<!\bstring)(?<!\bmissing)(?<!\blogging)"
)
DOING = _any(
    rf"^(?:\W*)(?:(?:the )?{_PEOPLE}(?: is| are| am|['’]m|['’]re|['’]s)? )?(?:currently |still |now )?"
    rf"[a-z]{{2,}}ing\b{_NO_DEED}",
    r"^(?:the )?(?:user|developer|dev|he|she|they) (?:currently |now )?(?:renam|mov|migrat|refactor|rewrit|port|split|"
    r"fix|add|finish|work|convert|replac|remov|upgrad|extract)(?:e|es|s)?\b",
    rf":\s+[a-z]{{2,}}ing\b{_NO_DEED}",
    r"\bcurrently [a-z]+ing\b",
    r"\b(?:not|un)[ -]?(?:finished|done|complete)\b",
    r"\b(?:started|began|resume|continue)\b",
    r"\bremains?\s*$",
    r"\bnot (?:\w+ )?yet\b",
)
