"""The colours of all pictures."""

FELT, FELT_EDGE = "#2c6650", "#1f4a3a"
PANEL, RULE = "#1d2a30", "#3a4a52"
BRIGHT, DIM, GOLD = "#f2f4ef", "#a9b8b4", "#f4c95d"
PLATE = "#183c30"
PAPER, PAPER_EDGE = "#fdfcf7", "#8b8f86"
BACK, BACK_EDGE, BACK_SIGN = "#3b5b8c", "#dfe6ee", "#6f8dbb"
ON_DARK = {"s": "#f2f4ef", "c": "#f2f4ef", "h": "#ff8d85", "d": "#ff8d85"}
