// The messages of the engine protocol: written by `docs/generate.py` of their JSON Schema.

/** From the host, first. */
export type Game = {
  event: "game";
  protocol: 1;
  /** The environment id, such as schnapsen_v0. */
  env: string;
  /** Every rule option by name. */
  rules: Record<string, unknown>;
  /** The side of each seat. */
  sides: Seat[];
  /** All cards. */
  deck: Card[];
  /** All actions, such as play hA. */
  actions: Actions;
  /** For the engine's chance. */
  seed: number;
};

/** From the host: a decision, with all that the seat knows. */
export type Act = {
  event: "act";
  id: number;
  seat: Seat;
  dealer: Seat;
  episode: "deal" | "match";
  deals_done: number;
  /** The state of the match. */
  match: Record<string, unknown>;
  hand: Card[];
  /** Each action of the deal with its seat; null: the seat does not know it. */
  moves: [Seat, string | null][];
  legal: Actions;
  /** Milliseconds for the answer. */
  ms: number;
  table?: Table;
  /** The summary observation. */
  observation?: number[];
  /** A random deal that agrees with all that the seat knows. */
  sample?: {
    deck: Card[];
    moves: [Seat, string][];
  };
};

/** From the host, last. */
export type End = {
  event: "end";
};

/** From the engine, after game. */
export type Ready = {
  event: "ready";
  protocol: 1;
  name?: string;
  wants?: ("table" | "observation" | "sample")[];
};

/** From the engine, for each act by its id, in any order. */
export type Move = {
  event: "move";
  id: number;
  /** One of legal. */
  action: string;
};

/** From the engine, such as one that does not play this game. */
export type EngineError = {
  event: "error";
  text?: string;
};

/** The table as it is drawn. A card that is an empty text lies face down; -1 is no seat. */
export type Table = {
  /** The position in words. */
  lines: string[];
  hands: {
    seat: Seat;
    cards: Faces;
    notes: string[];
    /** The note on card points, or empty. */
    points: string;
    /** The card on the table. */
    played: Face | null;
    /** Tricks in front of the seat. */
    won: number;
  }[];
  piles: {
    label: string;
    cards: Faces;
  }[];
  dealer: number;
  turn: number;
  sheet: string[][];
  /** The letter of the suit, the name of a contract without one, or empty: not known yet. */
  trump: string;
  /** Of the match, by side, and the score that ends it. */
  score: null | [number[], number];
};

export type Actions = string[];

export type Seat = number;

export type Card = string;

export type Face = Card | "";

export type Faces = Face[];

export type Want = "table" | "observation" | "sample";

export type FromHost = Game | Act | End;
export type FromEngine = Ready | Move | EngineError;
