// What the browser keeps for the page. Where it keeps nothing, or lets nobody ask, the page goes on without.

const attempt = (what, otherwise) => {
  try {
    return what() ?? otherwise;
  } catch {
    return otherwise;
  }
};

// Two places to keep texts: `lasting` for all tables and days, `ofTab` until the tab is closed.
const place = storage => ({
  read: name => attempt(() => storage().getItem(name), ""),
  write: (name, text) => attempt(() => storage().setItem(name, text)),
});
export const lasting = place(() => localStorage), ofTab = place(() => sessionStorage);
