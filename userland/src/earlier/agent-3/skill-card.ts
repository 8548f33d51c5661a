// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Skill cards: what a model sees of its skills before it reads one, and which tools the skills allow.
//
// SKILL-CARD-1  The text is bounded: descriptions are cut, and beyond a length only names remain.
// SKILL-CARD-2  This file enforces nothing: the kernel refuses disallowed tools; here they are only not offered.

import { isNamed, type Narrowing, type Sys, type ToolOffer } from "@aos/protocol";

interface SkillCard {
  readonly name: string;
  readonly description: string;
}

const LONGEST_DESCRIPTION = 400;
const LONGEST_LIST = 8000;

const INTRODUCTION =
  "You have skills: instructions for certain kinds of work. When a task fits one, read it with " +
  "skill.read before you begin, and follow it. A skill may limit your tools from then on.";

/** For the system prompt; undefined where there are none. */
export async function introduceSkills(
  sys: Sys,
  names: readonly string[] = [],
): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const cards = (await sys.read("/self/skills")) as unknown as readonly SkillCard[];
  return cards.length === 0 ? undefined : `${INTRODUCTION}\n\n${listOf(cards)}`;
}

/** SKILL-CARD-1. */
export function listOf(cards: readonly SkillCard[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const { name, description } of cards) {
    const line = `- ${name}: ${shortened(description)}`;
    const isRoom = length + line.length <= LONGEST_LIST;
    lines.push(isRoom ? line : `- ${name}`);
    length += isRoom ? line.length : 0;
  }
  return lines.join("\n");
}

function shortened(description: string): string {
  const line = description.replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST_DESCRIPTION ? line : `${line.slice(0, LONGEST_DESCRIPTION - 1)}…`;
}

/** Those that every skill which was read leaves; what reads its own is always left. */
export async function leftBySkills(sys: Sys, offers: readonly ToolOffer[]): Promise<ToolOffer[]> {
  const narrowing = (await sys.read("/self/narrowing")) as unknown as Narrowing;
  return offers.filter(
    ({ name }) =>
      name === "result.read" ||
      name === "skill.read" ||
      narrowing.every(({ tools }) => isNamed(name, tools)),
  );
}
