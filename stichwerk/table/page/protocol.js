// The protocol as `stichwerk/table/protocol.py` has it: written by `docs/generate.py`.

/** @typedef {{ type: "act", action: string, version: number }} Act */
/** @typedef {{ type: "next" }} Next */
/** @typedef {{ type: "name", name: string }} Name */
/** @typedef {{ type: "cover", seat: number }} Cover */
/** @typedef {{ type: "undo" }} Undo */
/** @typedef {{ type: "hint" }} Hint */
/** @typedef {{ type: "study", agents?: Array<string> | null, move?: number | null, all?: boolean }} Study */
/** @typedef {{ type: "review" }} Review */
/** @typedef {{ type: "again", move: number }} Again */
/** @typedef {{ type: "rules" }} Rules */
/** @typedef {{ type: "record" }} Record */
/** @typedef {{ type: "position", all?: boolean }} Position */
/** @typedef {{ type: "exercise", number: number }} Exercise */
/** @typedef {{ type: "new", agent: string, match?: boolean }} New */
/** @typedef {{ type: "replace", agent: string }} Replace */
/** @typedef {{ type: "step", version: number }} Step */
/** @typedef {{ type: "look", seat: number | null }} Look */
/** @typedef {{ type: "open", text: string, deal: number, step?: number | null }} Open */
/** @typedef {{ type: "arrange", text: string, deal: number, step?: number | null, change?: Object | null }} Arrange */
/** @typedef {{ type: "lobby", tables: Array<string> }} Lobby */
/** @typedef {{ type: "begin", env: string, preset: string, rules: Object, people: number, level: string, match: boolean, exercise?: number
 *   }} Begin */
/** @typedef {{ label: string, words: string, kind: string }} Line */
/** @typedef {{ label: string, cards: Array<string> }} Pile */
/** @typedef {{ seat: number, cards: Array<string>, notes: Array<string>, points: string, played: string | null, won: number }} Hand */
/** @typedef {{ seat: number, words: string, plays: boolean }} Entry */
/** @typedef {{ move: number, words: string }} NumberedMove */
/** @typedef {{ words: string, cells: Array<string> }} Row */
/** @typedef {{ name: string, label: string }} Button */
/** @typedef {{ title: string, question: string, next: number | null }} Task */
/** @typedef {{ lines: Array<Line>, hands: Array<Hand>, piles: Array<Pile>, dealer: number, turn: number, sheet: Array<Array<string>>,
 *   trump: string, score: [Array<number>, number] | null }} SceneData */
/** @typedef {{ name: string, label: string, id: number, verb: string, card: string | null, suit: string | null, number: number | null }}
 *   ActionData */
/** @typedef {{ points: Array<number>, account: Array<string>, further: Array<Array<number>>, match_over: boolean, waits_for: Array<number>
 *   }} ResultData */
/** @typedef {{ scene: SceneData, legal: Array<ActionData>, log: Array<Entry>, trick: Array<[number, string]>, trick_complete: boolean,
 *   last_trick: Array<[number, string]> }} PositionData */
/** @typedef {{ scene: SceneData, legal: Array<ActionData>, log: Array<Entry>, trick: Array<[number, string]>, trick_complete: boolean,
 *   last_trick: Array<[number, string]>, type: "table", version: number, env: string, title: string, episode: string, seat: number, names:
 *   Array<string>, people: Array<number>, covered: Array<number>, learned: string, note: string, sides: Array<number>, study: boolean,
 *   watched: boolean, may: Array<string>, from_position: boolean, exercise: Task | null, verdict: string, can_undo: boolean, doubtful:
 *   Array<string>, totals: Array<number>, deals_played: number, result: ResultData | null }} TableMessage */
/** @typedef {{ heads?: Array<string>, rows?: Array<Row>, too_large?: boolean }} Ratings */
/** @typedef {{ heads?: Array<string>, rows?: Array<Row>, too_large?: boolean, type: "study", version: number, offered: Array<string>,
 *   chosen: Array<string>, moves: Array<NumberedMove>, move: number | null }} StudyMessage */
/** @typedef {{ type: "arrange", text: string, dealer: number, seats: number, match: string, turn: number, places: Array<Pile>, moves:
 *   Array<string>, legal: Array<Button> }} ArrangeMessage */
/** @typedef {{ type: "offer", agents: Array<string> }} Offer */
/** @typedef {{ type: "compiling", text: string }} Compiling */
/** @typedef {{ type: "stalled", text: string, agents: Array<string> }} Stalled */
/** @typedef {{ type: "refusal", text: string }} Refusal */
/** @typedef {{ type: "here", seats: Array<number> }} Here */
/** @typedef {{ type: "closed" }} Closed */
/** @typedef {{ type: "hint", text: string, action: string }} HintMessage */
/** @typedef {{ type: "rules", text: string, exercises: Array<string> }} RulesMessage */
/** @typedef {{ move: number, action: string, label: string, instead: string, verdict: string, cost: number, told: string, position:
 *   PositionData, line: Array<Entry> }} DecisionData */
/** @typedef {{ type: "review", of_match: boolean, decisions: Array<DecisionData> }} ReviewMessage */
/** @typedef {{ type: "record", text: string }} RecordMessage */
/** @typedef {{ type: "position", text: string }} PositionMessage */
/** @typedef {{ name: string, meaning: string, values?: Array<any> | null, words: Array<string>, bounds: Array<number>, default: any }}
 *   OptionData */
/** @typedef {{ name: string, words: string, source: string }} PresetData */
/** @typedef {{ env: string, title: string, about: string, seats: Array<number>, presets: Array<PresetData>, options: Array<OptionData>,
 *   exercises: Array<string>, cards: Array<string> }} GameData */
/** @typedef {{ secret: string, title: string, names: Array<string>, seat: number, deals: number, total: number }} OpenTable */
/** @typedef {{ type: "lobby", games: Array<GameData>, levels: Array<string>, tables: Array<OpenTable> }} LobbyMessage */
/** @typedef {{ type: "begin", links: Array<string> }} BeginMessage */
/** @typedef {{ type: "open", link: string }} OpenMessage */
/** @typedef {Act | Next | Name | Cover | Undo | Hint | Study | Review | Again | Rules | Record | Position | Exercise | New | Replace | Step
 *   | Look | Open | Arrange | Lobby | Begin} Request */
/** @typedef {TableMessage | Offer | Compiling | Stalled | Refusal | Here | Closed | HintMessage | StudyMessage | RulesMessage |
 *   ReviewMessage | RecordMessage | PositionMessage | OpenMessage | ArrangeMessage} Message */
/** @typedef {LobbyMessage | BeginMessage | Refusal} DoorMessage */

export const NO_SEAT = 4004;
export const TOO_MANY_PAGES = 4029;
export const SAME = "same";
export const MEANING = "* is the choice; % without sign: its probability; numbers: game points, or % to win a match.";
export const TOO_LARGE = "No exact values: the position is too large.";
export const HELP = {
  "act": "Play an action by name, at the table of this version.",
  "next": "Ask for the next deal, which begins when all people have asked.",
  "name": "Change the name that others see.",
  "cover": "Let an agent play for a person who has left, until that one is back.",
  "undo": "Take your last action back.",
  "hint": "Show the action that the game's default agent would play.",
  "study": "Show how agents rate the actions.",
  "review": "Show what your decisions cost, after a deal.",
  "again": "Play on from a move that the review lists, at another table.",
  "rules": "Show the rules in short.",
  "record": "Save the record of all deals at this table.",
  "position": "Show the position as a line of text, to be opened again.",
  "exercise": "Open a table at an exercise, by its number from 1.",
  "new": "Open another table of this game, with an agent that is offered, or the same ones.",
  "replace": "Replace an agent that does not answer.",
  "step": "Let the agents play one action, at the table of this version.",
  "look": "Show the cards of a seat, or all cards.",
  "open": "Open a table at a position from outside.",
  "arrange": "Change a position by hand, as `arranged` has it, and show all that lies there.",
  "lobby": "List the games with their rules, levels and exercises, and those tables that are open.",
  "begin": "Open a table."
};
