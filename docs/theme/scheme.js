"use strict"; // runs before the page is drawn
try { document.documentElement.style.colorScheme = localStorage.getItem("scheme") || ""; } catch { /* no storage */ }
