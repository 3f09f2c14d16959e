"""Every sentence that the program itself may say, on one screen."""

from voice_agent.core.ports import AllBusy, ModelError, NoDevice
from voice_agent.core.stage import StageFailed

NOT_CAUGHT = "I didn't catch that."
STILL_TRYING = "Still trying."
ONE_MOMENT = "One moment."
SEE_THE_SCREEN = "See the screen."
NO_MICROPHONE = "I can't use the microphone."
MICROPHONE_LOST = "The microphone went away while you spoke."
MUTED = "The microphone is muted; it sent nothing but silence."
WITHOUT_HOTKEY = "In the window, F8 talks instead: once to start, once to stop; or type your question."
HOTKEY_LOST = "The hotkey no longer works, because the display went away. Use the keys of the window."
HOTKEY_BACK = "The hotkey works again."
STILL_WARMING = "Still warming up; what you ask now is kept and answered in a moment."
NOTHING_TO_REPEAT = "There is nothing to repeat yet."
REFUSED = "I can't help with that one. Try asking it another way."
CUT_OFF = "That answer was cut off, because it grew too long."
TOO_LONG = "This conversation has grown too long. Please start a new session."
TOO_MANY_STEPS = "I gave up, because the question took too many steps. Try a narrower question."
NO_WORDS = "I have no answer to that."
BROKEN_STREAM = "The answer broke off before its end."
OFFLINE_FIRST = "I can't reach Claude, so this is the offline brain."
STAND_IN = "The voice failed, so a recorded sound stood in for the words. They are on the screen."
NO_SOUND = "Nothing on this machine could make a sound. The words are on the screen."
INTERRUPTED_TOOL = "Interrupted by the user before it finished; it was stopped."
CONTINUE = "[Note from the program: please go on.]"
CUT_CALL = "Not run: the message was cut off at the length limit, so this call was incomplete. Call again with less."
FIRST_SESSION = "This is the first session in this repository, and nothing is remembered of it yet."
OFF_THE_RECORD = "Not written: the user asked that this is not remembered. Say that nothing of it is kept."
ERASED = "Something that I knew was erased, so this conversation begins anew. Please ask again."
BEGUN_ANEW = "Something was erased from the memory, so the conversation begins anew."

NO_CONNECTION = "I could not reach Claude."
OVERLOADED = "Claude is overloaded right now."
CLAUDE_TROUBLE = "Claude has a problem of its own right now."
STALLED = "Claude stopped answering."
BROKEN_OFF = "The answer from Claude broke off."
BAD_PROXY = "I could not reach Claude, because the proxy setting of this computer does not work for me."
BAD_REQUEST = "Claude did not accept my request."
WRONG_KEY = "Claude did not accept the key. Please check the key in your settings."
NO_CREDIT = "The account at Claude has no credit left."
NOT_ALLOWED = "The key is not allowed to use this model."
NOT_FOUND = "There is no such model at the address of Claude. Please check both in your settings."
TOO_LARGE = "This conversation has grown too large for Claude. Please start a new session."
NOT_UNDERSTOOD = "Claude could not make sense of my request."
TOO_MANY = "Claude takes no more requests from this account for now. Please try again later."
MISMATCH = "Claude no longer accepts this conversation. Please start a new session."

TROUBLE = {
    "ears": "I couldn't hear that. Speech recognition failed.",
    "model": "I got no answer from the model.",
    "voice": "My voice failed.",
}
PAST_LIMIT = {
    "ears": "I couldn't hear that. Speech recognition took too long.",
    "model": "The model took too long to answer.",
    "voice": "My voice took too long.",
}
BUSY = {
    "ears": "Speech recognition is stuck. Please restart me.",
    "voice": "My voice is stuck. Please restart me.",
}
SOMETHING_WRONG = "Something went wrong in this turn. Please ask again."
STRAY = "This turn was stopped by mistake. Please ask again."


def from_the_program(sentence: str) -> str:
    """A sentence of ours as the model gets it: the user did not say it."""
    return f"[Note from the program: {sentence}]"


class NoAnswer(Exception):
    """The model ended without a word; `tools` are the names of those it ran, `shown` whether a card was shown."""

    def __init__(self, tools: tuple[str, ...] = (), shown: bool = False) -> None:
        super().__init__()
        self.tools = tools
        self.shown = shown


class GaveUp(Exception):
    """The turn ended on a rule of ours; `phrase` says which."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


def explain(error: BaseException) -> tuple[str, str]:
    """The stage that failed and the sentence that says so; never raises, never quotes an exception."""
    match error:
        case NoAnswer(tools=tools, shown=shown):
            return "model", _without_words(tools, shown)
        case GaveUp(phrase=phrase) | ModelError(phrase=phrase):
            return "model", phrase
        case StageFailed(stage=stage, error=ModelError(phrase=phrase)):
            return stage, phrase
        case NoDevice(phrase=phrase):
            return "ears", phrase
        case StageFailed(stage=stage, error=NoDevice(phrase=phrase)):
            return stage, phrase
        case StageFailed(stage=stage, error=AllBusy()):
            return stage, BUSY.get(stage, SOMETHING_WRONG)
        case StageFailed(stage=stage, error=None):
            return stage, PAST_LIMIT.get(stage, SOMETHING_WRONG)
        case StageFailed(stage=stage):
            return stage, TROUBLE.get(stage, SOMETHING_WRONG)
    return "turn", SOMETHING_WRONG if isinstance(error, Exception) else STRAY


def _without_words(tools: tuple[str, ...], shown: bool) -> str:
    ran = [name.replace("_", " ") for name in tools if name != "show_on_screen"]
    did = f"I ran {' and '.join(dict.fromkeys(ran))}" if ran else ""
    if shown:
        return f"{did or 'There is no spoken answer'}, and the details are on the screen."
    return f"{did}, but there is no answer to it." if did else NO_WORDS
