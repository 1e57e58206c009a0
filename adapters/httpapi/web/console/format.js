// Values as people read them.

const language = navigator.language;

export function money(amount, currency, digits = 2) {
  if (amount === null || amount === undefined) return "–";
  try {
    return new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: digits, minimumFractionDigits: digits }).format(amount);
  } catch {
    return `${amount} ${currency}`; // a currency that the browser does not know
  }
}

export const number = (value, digits = 1) => value === null || value === undefined ? "–" :
  new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);

export const percent = (value) => value === null || value === undefined ? "–" : `${number(value, 0)} %`;

// words makes a word of the interface one for people: on_leave, on leave.
export const words = (value) => (value ?? "–").replaceAll("_", " ");

const version = (n) => n ? `v${n}` : "none";

// moved says which version a label named and which it names; the same one is fixed.
export const moved = (from, to) => from === to ? `v${to}, fixed` : `${version(from)} → ${version(to)}`;

// time is a moment, by the clock of the browser, which it names.
const moment = new Intl.DateTimeFormat(language, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
export const time = (text) => text ? moment.format(new Date(text)) : "–";
export const zone = moment.resolvedOptions().timeZone;

// date is a day, which begins and ends by UTC, wherever somebody looks from.
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
export const date = (text) => text ? day.format(new Date(text)) : "–";

// clock says when something was, to the second.
export const clock = (ms) => new Intl.DateTimeFormat(language,
  { timeStyle: "medium", ...(new Date(ms).toDateString() !== new Date().toDateString() && { dateStyle: "medium" }) }).format(ms);

const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en"); // never "yesterday": 30 hours are a day, whatever day that was

// ago says how long ago a time is.
export function ago(text) {
  if (!text) return "never";
  const seconds = (new Date(text) - Date.now()) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return "just now";
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${number(seconds / 3600)} h`;
}

// The words of the interface, in its order.
export const levels = ["junior", "mid", "senior", "lead", "principal", "director", "vp", "c_suite"];
export const statuses = ["active", "onboarding", "on_leave", "terminated"];
export const autonomies = ["locked", "supervised", "semi", "full"];
export const eventTypes = [
  "hired", "onboarded", "fired", "offboarded", "status_changed", "promoted", "demoted",
  "task_started", "task_completed", "cost_incurred", "tool_used", "delegation_sent", "delegation_received",
];
