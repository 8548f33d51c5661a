// AskInline: shows a question to the person at the terminal and sends the answer.
//
//   [y]es, [n]o REASON, [a]lways, [w]hy, [l]ater >
//
// ASK-INLINE-1  Only a typed answer counts: an empty line, and what was typed before the question was shown, are no
//               answer.
// ASK-INLINE-2  A question that is answered elsewhere, withdrawn or expired is not asked any longer.

import type { Question } from "@aos/protocol/words";
import { SysError } from "@aos/protocol/words";
import { answerQuestion, NO_CHOICES, YES_CHOICES } from "../answer-question.ts";
import { askLine, discardTyped } from "../ask-person.ts";
import { colors } from "../colors.ts";
import type { CommandCall } from "../command.ts";
import { printable } from "../printable.ts";
import { questionCard } from "./question-text.ts";
import { questionDetail } from "./question-detail.ts";

export type InlineResult = "answered" | "later" | "gone" | "interrupted";

interface Typed {
  readonly words: readonly string[];
  readonly text?: string | undefined;
  readonly always: boolean;
}

/** `gone` is aborted when the question is no longer open. */
export async function askInline(
  call: CommandCall,
  question: Question,
  gone: AbortSignal,
): Promise<InlineResult> {
  const show = (text: string) => void process.stderr.write(`${text}\n`);
  show(`\n${colors.yellow("A person is asked.")} ${printable(question.id)}`);
  show(questionCard(question, Math.min(process.stderr.columns ?? 80, 100)));
  await discardTyped(gone); // ASK-INLINE-1
  for (;;) {
    const line = await askLine(promptOf(question), gone);
    if (line === "gone" || line === "interrupted") return line;
    const typed = line.text.trim();
    if (typed === "") continue;
    if (isShort(typed, "why")) show(questionDetail(question));
    else if (isShort(typed, "later")) return "later";
    else {
      const answer = readTyped(question, typed);
      if (answer === undefined) show(`not an answer: ${printable(typed)}`);
      else if (await isSent(call, question, answer, show)) return "answered";
    }
    if (gone.aborted) return "gone";
  }
}

function promptOf({ choices, about }: Question): string {
  const hasAlways = about !== null && !about.everyTime && about.cover.length > 0;
  const own = choices.filter(
    (choice) => !YES_CHOICES.includes(choice) && !NO_CHOICES.includes(choice),
  );
  const words = [
    ...(choices.some((choice) => YES_CHOICES.includes(choice)) ? ["[y]es"] : []),
    ...(choices.some((choice) => NO_CHOICES.includes(choice)) ? ["[n]o REASON"] : []),
    ...(hasAlways ? ["[a]lways"] : []),
    ...own.map(printable),
    ...(choices.length === 0 ? ["your answer"] : []),
    "[w]hy",
    "[l]ater",
  ];
  return `${words.join(", ")} > `;
}

/** A beginning of the word, or all of it. */
const isShort = (typed: string, word: string): boolean =>
  typed.toLowerCase() === word || typed.toLowerCase() === word[0];

/** Undefined where it is none of the answers. */
function readTyped({ choices }: Question, typed: string): Typed | undefined {
  if (choices.length === 0) return { words: [typed], always: false };
  if (choices.includes(typed)) return { words: [typed], always: false };
  const [word = "", ...rest] = typed.split(/\s+/);
  const text = rest.length === 0 ? undefined : rest.join(" ");
  if (isShort(word, "yes")) return { words: YES_CHOICES, text, always: false };
  if (isShort(word, "no")) return { words: NO_CHOICES, text, always: false };
  if (isShort(word, "always")) return { words: YES_CHOICES, text, always: true };
  return undefined;
}

/** False where it was not taken: the question is still open. */
async function isSent(
  call: CommandCall,
  { id }: Question,
  { words, text, always }: Typed,
  show: (text: string) => void,
): Promise<boolean> {
  try {
    await answerQuestion(call, { id, words, text, always }, { isQuiet: true });
    return true;
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    show(`${printable(error.message)}${error.hint === undefined ? "" : ` (${error.hint})`}`);
    return error.code === "ENOENT";
  }
}
