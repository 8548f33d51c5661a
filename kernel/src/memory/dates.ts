// Dates: calendar days, months and years that a text names, and those that it means by "yesterday" or "last month".
//
//   datesIn("back from Oslo last Friday", day)   [{ from: 20260508, to: 20260508 }]
//
// DATES-1  Dates are calendar days without a time zone, as numbers YYYYMMDD: a dialogue says "on 8 May", not an instant.
// DATES-2  A relative expression is resolved against the day of its session; without one it means nothing.

export interface DateRange {
  /** YYYYMMDD. */
  readonly from: number;
  readonly to: number;
}

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
const MONTH = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;
const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const DAY_MS = 86_400_000;

const ISO = /\b((?:19|20)\d\d)[-/](\d\d)(?:[-/](\d\d))?/g;
const DAY_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b\\.?,?(?: ((?:19|20)\\d\\d))?`,
  "gi",
);
const MONTH_DAY = new RegExp(
  `\\b${MONTH}\\b\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)(?:,? ((?:19|20)\\d\\d))?`,
  "gi",
);
const MONTH_ONLY = new RegExp(`\\b${MONTH}\\b\\.?,?(?: (?:of )?((?:19|20)\\d\\d))?`, "gi");
const YEAR = /\b(?:in|of|since|during|from|by|until|year) ((?:19|20)\d\d)\b/gi;

/** Words that tell when something was, with or without a date. */
const TIME_WORDS =
  /\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|previous|following|coming) (?:week|month|year|night|summer|winter|spring|autumn|fall|weekend|\w+day)|\w+day|weekend|\d{1,2}(?::\d\d)? ?(?:am|pm)|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|since|recently|(?:a|two|three|four|five|six|seven|eight|nine|ten|\d+|few|couple of) (?:day|week|month|year|hour|minute)s?)\b/i;
const TIME_QUESTION =
  /\b(?:when|how long|how old|how often|how many (?:day|week|month|year)s?|(?:what|which) (?:date|day|time|month|year|week|season))\b/i;

export const isTimeQuestion = (query: string): boolean => TIME_QUESTION.test(query);
export const mentionsTime = (text: string): boolean =>
  TIME_WORDS.test(text) || new RegExp(`\\b${MONTH} \\d|\\d ${MONTH}\\b`, "i").test(text);

const monthOf = (name: string): number =>
  MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3))) + 1;
const dayNumber = (year: number, month: number, day: number): number =>
  year * 10_000 + month * 100 + day;
const ofMonth = (year: number, month: number): DateRange => ({
  from: dayNumber(year, month, 1),
  to: dayNumber(year, month, 31),
});
const toMs = (day: number): number =>
  Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);
export const dayOf = (ms: number): number => {
  const date = new Date(ms);
  return dayNumber(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
};
const yearOf = (day: number): number => Math.floor(day / 10_000);
const isDay = (day: number): boolean => day >= 1 && day <= 31;

/** A month without a year has the year 0; `fitsDate` compares such ranges in any year. */
export function datesIn(text: string, session?: number): DateRange[] {
  const found: DateRange[] = [];
  let rest = text;
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => DateRange | undefined) => {
    rest = rest.replace(pattern, (...args) => {
      const groups = args.filter((one) => typeof one === "string" || one === undefined);
      const range = read(groups as unknown as RegExpExecArray);
      if (range === undefined) return args[0] as string;
      found.push(range);
      return " ";
    });
  };
  const year = session === undefined ? 0 : yearOf(session);
  take(ISO, ([, y, m, d]) =>
    Number(m) < 1 || Number(m) > 12
      ? undefined
      : d === undefined
        ? ofMonth(Number(y), Number(m))
        : single(dayNumber(Number(y), Number(m), Number(d))),
  );
  take(DAY_MONTH, ([, d, m, y]) =>
    isDay(Number(d)) ? single(dayNumber(Number(y ?? year), monthOf(m!), Number(d))) : undefined,
  );
  take(MONTH_DAY, ([, m, d, y]) =>
    isDay(Number(d)) ? single(dayNumber(Number(y ?? year), monthOf(m!), Number(d))) : undefined,
  );
  take(MONTH_ONLY, ([whole, m, y]) =>
    // "may" is a verb more often than a month: it counts with a year or a preposition before it.
    m!.toLowerCase() === "may" &&
    y === undefined &&
    !new RegExp(`\\b(?:in|last|next|this|since|of) ${whole}`, "i").test(text)
      ? undefined
      : ofMonth(Number(y ?? year), monthOf(m!)),
  );
  take(YEAR, ([, y]) => ({ from: dayNumber(Number(y), 1, 1), to: dayNumber(Number(y), 12, 31) }));
  if (session !== undefined) found.push(...relativeDates(rest, session));
  return found;
}

const single = (day: number): DateRange => ({ from: day, to: day });

/** DATES-2. */
function relativeDates(text: string, session: number): DateRange[] {
  const lower = text.toLowerCase();
  const now = toMs(session);
  const days = (from: number, to = from): DateRange => ({
    from: dayOf(now + from * DAY_MS),
    to: dayOf(now + to * DAY_MS),
  });
  const found: DateRange[] = [];
  if (/\byesterday\b|\blast night\b/.test(lower)) found.push(days(-1));
  if (/\b(?:today|tonight|this morning|this afternoon|this evening|just now)\b/.test(lower))
    found.push(days(0));
  if (/\btomorrow\b/.test(lower)) found.push(days(1));
  if (/\bday before yesterday\b/.test(lower)) found.push(days(-2));
  if (/\b(?:last|past|previous) weekend\b/.test(lower)) found.push(days(-8, -1));
  if (/\b(?:last|past|previous) week\b/.test(lower)) found.push(days(-13, -3));
  if (/\bnext week\b/.test(lower)) found.push(days(3, 13));
  if (/\bthis week\b/.test(lower)) found.push(days(-6, 6));
  const ago =
    /\b(a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|few|couple of) (day|week|month|year)s? ago\b/.exec(
      lower,
    );
  if (ago !== null) found.push(agoRange(ago[1]!, ago[2]!, days, session));
  const weekday = new RegExp(`\\b(?:(last|next|this|on|coming) )(${DAYS.join("|")})\\b`).exec(
    lower,
  );
  if (weekday !== null) {
    const today = new Date(now).getUTCDay();
    const wanted = DAYS.indexOf(weekday[2]!);
    const ahead = (wanted - today + 7) % 7 || 7;
    const back = weekday[1] === "last" && ahead === 7 ? -7 : ahead - 7;
    found.push(days(weekday[1] === "next" || weekday[1] === "coming" ? ahead : back));
  }
  const month = /\b(last|next|this) (month|year)\b/.exec(lower);
  if (month !== null) {
    const step = month[1] === "last" ? -1 : month[1] === "next" ? 1 : 0;
    found.push(month[2] === "year" ? wholeYear(yearOf(session) + step) : monthsAway(session, step));
  }
  return found;
}

const COUNTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function agoRange(
  count: string,
  unit: string,
  days: (from: number, to?: number) => DateRange,
  session: number,
): DateRange {
  const number =
    Number(count) ||
    COUNTS.indexOf(count) + 1 ||
    (count === "few" ? 3 : count.startsWith("couple") ? 2 : 1);
  if (unit === "day") return days(-number);
  if (unit === "week") return days(-number * 7 - 3, -number * 7 + 3);
  if (unit === "month") return monthsAway(session, -number);
  return wholeYear(yearOf(session) - number);
}

const wholeYear = (year: number): DateRange => ({
  from: dayNumber(year, 1, 1),
  to: dayNumber(year, 12, 31),
});

function monthsAway(session: number, months: number): DateRange {
  const date = new Date(toMs(session));
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  return ofMonth(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** From 1, the same day, down to 0: no date in common. */
export function dateFit(asked: readonly DateRange[], had: readonly DateRange[]): number {
  let best = 0;
  for (const one of asked) for (const other of had) best = Math.max(best, fit(one, other));
  return best;
}

function fit(asked: DateRange, had: DateRange): number {
  const anyYear = yearOf(asked.from) === 0 || yearOf(had.from) === 0;
  const [a, b] = anyYear ? [withoutYear(asked), withoutYear(had)] : [asked, had];
  if (a.to < b.from || b.to < a.from) return 0;
  const width = Math.max(a.to - a.from, b.to - b.from);
  const part = width === 0 ? 1 : width <= 31 ? 0.8 : 0.4;
  return anyYear ? part * 0.8 : part;
}

const withoutYear = ({ from, to }: DateRange): DateRange =>
  yearOf(from) === yearOf(to) ? { from: from % 10_000, to: to % 10_000 } : { from: 101, to: 1231 };
