// Classify: whether a goal needs a plan. One that is short and asks for one thing goes to a generalist at once, for
// the price of no request.
//
// CLASSIFY-1  In doubt a goal is planned: a plan of one subtask costs one cheap request, a plan that was needed and
//     not made costs the result.

const MOST_CHARS = 160;

/** Words that join several pieces of work. */
const JOINS =
  /\b(then|after|afterwards|before|finally|first|next|each|every|all|both|compare|versus|vs|several|multiple|research|report|steps?|parallel|and)\b/i;

/** Something that a role has to be given: an address, a file. */
const NAMES = /https?:\/\/|\/work\/|\S+\.(md|txt|csv|json|html|pdf|ts|js|py|rs|go)\b/gi;

export function needsPlan(goal: string): boolean {
  const asked = goal.trim();
  if (asked.length > MOST_CHARS || /\n/.test(asked)) return true;
  if ((asked.match(/[.;?!](\s|$)/g)?.length ?? 0) > 1) return true;
  return JOINS.test(asked) || (asked.match(NAMES)?.length ?? 0) > 0;
}
