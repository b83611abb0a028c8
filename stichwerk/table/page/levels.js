// The levels of agents, as `opponents.py` has them.

import { mark } from "./language.js";

export const LEVELS = { beginner: mark("beginner"), casual: mark("casual"), club: mark("club"), strong: mark("strong"), strongest: mark("strongest") };
