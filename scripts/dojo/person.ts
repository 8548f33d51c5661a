// Person: the ideal one. Says yes to the calls that belong to the task they gave, as often as they
// belong to it, and no to every other; sees the questions that any person sees, and nothing else.
//
// DOJO-PERSON-1  A call that is asked about is known by the tool and the arguments that the question
//     shows, whole.
// DOJO-PERSON-2  A proposal is approved only if each of its lines is one call of the task, whole and for
//     one use.

import { parseCapability, type Kernel, type Question } from "@aos/kernel";
import { canonicalText, type Json, type QuestionAbout } from "@aos/protocol";
import type { TracedCall } from "./traces.ts";

const LOOK_AGAIN_MS = 1;
const NAME = "the user";

interface Wish {
  /** The calls that are still to be made, each as its canonical text. */
  readonly left: string[];
  approved: number;
}

export class Person {
  readonly #kernel: Kernel;
  readonly #wishes = new Map<string, Wish>();
  #looking: Promise<void> | undefined;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** What the process is for. */
  wants(pid: string, calls: readonly TracedCall[]): void {
    this.#wishes.set(pid, { left: calls.map(textOf), approved: 0 });
    this.#looking ??= this.#look();
  }

  /** To how many questions of the process they said yes. Nobody waits for them any more. */
  leaves(pid: string): number {
    const { approved } = this.#wishes.get(pid)!;
    this.#wishes.delete(pid);
    return approved;
  }

  /** Fails when the questions cannot be read or answered any more. */
  async done(): Promise<void> {
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (this.#wishes.size > 0) {
      for (const question of await this.#kernel.questions()) {
        const wish = this.#wishes.get(question.pid);
        if (wish === undefined) continue; // its run has only just begun
        const choice = isWanted(question, wish) ? "approve" : "deny";
        if (choice === "approve") wish.approved += 1;
        await this.#kernel.answer(question.id, { by: NAME, choice });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    this.#looking = undefined;
  }
}

/** What they say yes to is no longer to be made, or is already paid for. */
function isWanted({ kind, about }: Question, { left }: Wish): boolean {
  const asked = kind === "proposal" ? about!.cover.map(callOf) : [shownCall(about!)];
  const rest = [...left];
  for (const text of asked) {
    const place = text === undefined ? -1 : rest.indexOf(text);
    if (place < 0) return false;
    rest.splice(place, 1);
  }
  left.splice(0, left.length, ...rest);
  return true;
}

/** DOJO-PERSON-1. */
const shownCall = ({ call, args }: QuestionAbout): string | undefined =>
  call === "exec" ? args : undefined;

/** DOJO-PERSON-2. The call that a capability is for, if it is for just one. */
function callOf(capability: string): string | undefined {
  const { kind, pattern, constraints } = parseCapability(capability);
  const isOne = kind === "tool" && constraints.max === 1 && constraints.onlyPinned === true;
  if (!isOne) return undefined;
  const args = (constraints.pins ?? []).map(({ name, value }) => [name, value as Json]);
  return textOf({ tool: pattern.text, args: Object.fromEntries(args) });
}

const textOf = ({ tool, args }: TracedCall): string => canonicalText({ tool, args } as Json);
