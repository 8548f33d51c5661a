// Notice: what a person is told, before it has the form of a mail or a chat. The words of Agent OS and those of an
// agent are apart to the end: only the first may look like a heading, a button or a link.
//
// NOTICE-1  Words of agents are bounded, their control characters are visible, and their links are no links.

import { visibleText } from "@aos/protocol";

export interface Notice {
  /** Stable: who gets it twice can tell. */
  readonly id: string;
  /** `approval`, `failure` … */
  readonly event: string;
  /** Words of Agent OS. */
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Words of agents and of what they read; never to be taken for ours. */
  readonly quoted: readonly (readonly [name: string, text: string])[];
  /** What stands above the quoted words. */
  readonly warning?: string;
  readonly link?: string;
  readonly command?: string;
}

/** An answer in a conversation. */
export interface ChatReply {
  readonly id: string;
  readonly text: string;
  /** Where the conversation is, as the channel has it. */
  readonly place: Readonly<Record<string, string>>;
}

const MOST_WORDS = 1500;

/** NOTICE-1. */
export function agentWords(text: string, most = MOST_WORDS): string {
  const shown = visibleText(text);
  const cut = shown.length > most ? `${cutAt(shown, most)} …` : shown;
  return cut.replaceAll("://", "[:]//").replaceAll(/\bwww\./gi, "www[.]");
}

/** One line of it, as for a heading or the header of a mail. */
export const oneLineOf = (text: string, most = 200): string =>
  agentWords(text.replaceAll(/\s+/g, " ").trim(), most);

/** No half of a pair is left at the end. */
function cutAt(text: string, most: number): string {
  const cut = text.slice(0, most);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** As plain text. */
export function noticeText(notice: Notice): string {
  const { title, facts, quoted, warning, link, command } = notice;
  return [
    title,
    "",
    ...facts.map(([name, value]) => `${name}: ${value}`),
    ...(warning === undefined ? [] : ["", warning]),
    ...quoted.flatMap(([name, text]) => ["", `${name}:`, ...text.split("\n").map((l) => `> ${l}`)]),
    ...(link === undefined ? [] : ["", `Show and answer: ${link}`]),
    ...(command === undefined ? [] : ["", `On the machine: ${command}`]),
    "",
    `(${notice.id})`,
  ].join("\n");
}
