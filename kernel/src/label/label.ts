// Labels: origin and secrecy of what a process has read. A process has the join of everything it received; a join
// only lowers integrity, raises secrecy and adds tags.
//
// LABEL-1  join is the least upper bound: order, repetition and grouping change nothing.
// LABEL-2  Only an endorsement raises integrity, and it is a separate action (endorsement.ts).

import { integrities, secrecies, type Label } from "@aos/protocol";

export const CLEAN: Label = { integrity: "trusted", secrecy: "public" };

/** Label of a result that has none. */
export const UNLABELLED: Label = { integrity: "untrusted", secrecy: "public" };

export function join(a: Label, b: Label): Label {
  if (a === b) return a;
  const integrity =
    integrities[Math.max(integrities.indexOf(a.integrity), integrities.indexOf(b.integrity))]!;
  const secrecy = secrecies[Math.max(secrecies.indexOf(a.secrecy), secrecies.indexOf(b.secrecy))]!;
  const tags = joinTags(a.tags, b.tags);
  if (integrity === a.integrity && secrecy === a.secrecy && tags === a.tags) return a;
  return { integrity, secrecy, ...(tags === undefined ? {} : { tags }) };
}

/** `a` itself when it has all of them already. */
function joinTags(a: Label["tags"], b: Label["tags"]): Label["tags"] {
  if (b === undefined) return a;
  if (a === undefined) return b;
  if (b.every((tag) => a.includes(tag))) return a;
  return [...new Set([...a, ...b])].toSorted();
}

/** `trusted/public`, and `untrusted/secret#crm,mail` where it is marked. */
export function labelText({ integrity, secrecy, tags }: Label): string {
  const plain = `${integrity}/${secrecy}`;
  return tags === undefined ? plain : `${plain}#${tags.join(",")}`;
}

const TAG = /^[A-Za-z0-9._-]+$/;

export const isTag = (text: string): boolean => TAG.test(text);

export function readLabel(text: string): Label {
  const [plain, marks, more] = text.split("#");
  const [integrity, secrecy, rest] = plain!.split("/") as [
    Label["integrity"],
    Label["secrecy"],
    string | undefined,
  ];
  const known = integrities.includes(integrity) && secrecies.includes(secrecy);
  if (!known || rest !== undefined || more !== undefined) throw new Error(`no label ${text}`);
  if (marks === undefined) return { integrity, secrecy };
  const tags = [...new Set(marks.split(","))].toSorted();
  if (!tags.every(isTag)) throw new Error(`no label ${text}`);
  return { integrity, secrecy, tags };
}

/** Is `a` no less trusted, no more secret and no more marked than `b`? */
export const isAtMost = (a: Label, b: Label): boolean => join(b, a) === b;

/** May what carries this label leave the machine? Secrets never do. */
export const mayLeave = (label: Label): boolean => label.secrecy !== "secret";
