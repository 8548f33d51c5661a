// Script: the answers of a scripted model in YAML. Parsing is strict: an unknown field is an error with file, line
// and name.
//
//   turns:
//     - say: "Let me look."                       # the first answer
//       call: [{ tool: file.read, args: { path: /x } }]
//     - when: { tool: file.read, contains: "42" } # whenever this fits, at any turn
//       say: "It says {{last}}."
//   otherwise: { say: "I do not know." }
//
//   when       all that is given must fit; an empty one always does
//     last       the role of the last message: system, user, assistant or tool
//     contains   a text in the last message, or a list of which each must be there
//     tool       the last message is the result of this tool
//     turn       the number of assistant messages so far, plus one
//   say        a text; {{last}} is the last message, {{input}} the first user message
//   call       tool calls; the same two stand in the texts of their arguments
//   once       true: not when an earlier request of this conversation got this turn as its answer
//   delayMs    how long the answer takes to begin
//   pieceMs    how long each word takes to come, for those who watch
//   verbatim   true: said as it stands. {{ }} is text like any other, and nothing is cut off
//   finish     how it ends, where that is not as it looks: length or filter
//
// A turn without `when` is for its place in the list: the third is the answer to the third request.

import { rememberText, SysError } from "@aos/protocol";
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";
import { z } from "zod";

const SLOT = /\{\{\s*([\w.-]+)\s*\}\}/g;
const slotNames = ["last", "input"] as const;
export type TemplateValues = Readonly<Record<(typeof slotNames)[number], string>>;

const isSlotName = (name: string): name is keyof TemplateValues =>
  slotNames.includes(name as keyof TemplateValues);

/** Puts the slots into a text. What comes in is not looked at again. */
export const fillTemplate = (text: string, slots: TemplateValues): string =>
  text.replace(SLOT, (whole, name: string) => (isSlotName(name) ? slots[name] : whole));

function refuseUnknownSlots(
  answer: { say?: unknown; call?: readonly { args: unknown }[] | undefined; verbatim?: unknown },
  context: z.RefinementCtx,
): void {
  if (answer.verbatim === true) return;
  const texts = [
    { path: ["say"], value: answer.say ?? "" },
    ...(answer.call ?? []).map(({ args }, at) => ({ path: ["call", at, "args"], value: args })),
  ];
  for (const { path, value } of texts)
    for (const [whole, name] of JSON.stringify(value).matchAll(SLOT)) {
      if (isSlotName(name as string)) continue;
      context.addIssue({
        code: "custom",
        path,
        message: `${whole} is unknown; known are {{last}} and {{input}}`,
      });
    }
}

const call = z.strictObject({
  tool: z.string().min(1),
  args: z.json().default({}),
});

const MAX_DELAY_MS = 3_600_000;
const MAX_PIECE_MS = 10_000;

const answerFields = {
  say: z.string().optional(),
  call: z.array(call).min(1).optional(),
  delayMs: z.number().int().nonnegative().max(MAX_DELAY_MS).optional(),
  pieceMs: z.number().int().nonnegative().max(MAX_PIECE_MS).optional(),
  verbatim: z.boolean().optional(),
  finish: z.enum(["length", "filter"]).optional(),
};
const answers = (answer: { say?: unknown; call?: unknown }): boolean =>
  answer.say !== undefined || answer.call !== undefined;
const answersNothing = { message: "needs `say`, `call` or both" };

const when = z.strictObject({
  last: z.enum(["system", "user", "assistant", "tool"]).optional(),
  contains: z
    .union([z.string(), z.array(z.string()).min(1)], {
      error: "expected a text or a list of texts",
    })
    .optional(),
  tool: z.string().min(1).optional(),
  turn: z.number().int().positive().optional(),
});

const scriptSchema = z.strictObject({
  turns: z.array(
    z
      .strictObject({ when: when.optional(), ...answerFields, once: z.boolean().optional() })
      .refine(answers, answersNothing)
      .superRefine(refuseUnknownSlots),
  ),
  otherwise: z
    .strictObject(answerFields)
    .refine(answers, answersNothing)
    .superRefine(refuseUnknownSlots)
    .optional(),
});

export type Script = z.output<typeof scriptSchema>;
export type ScriptedTurn = Script["turns"][number];
export type ScriptedReply = NonNullable<Script["otherwise"]>;
/** As people write it: YAML, or the same as a value. */
export type ScriptText = string | z.input<typeof scriptSchema>;

type FieldPath = readonly PropertyKey[];

/** Reads a script. `source` is how an error names it: its file, or a name. */
export const readScript = (text: ScriptText, source: string): Script =>
  typeof text === "string" ? readText(text, source) : checkScript(text, () => source);

const readText = rememberText((text, source): Script => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${source}:${line}:${col}`;
  };

  const mistake = document.errors[0] ?? document.warnings[0];
  if (mistake !== undefined) {
    throw new SysError("EINVAL", `${at(mistake.pos[0])}: ${mistake.message}`);
  }
  return checkScript(valueOf(document, source), (path) => at(offsetOf(document, path)));
});

function valueOf(document: Document, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias that names nothing, or too many of them.
    throw new SysError("EINVAL", `${source}: ${(error as Error).message}`);
  }
}

function checkScript(value: unknown, placeOf: (path: FieldPath) => string): Script {
  const checked = scriptSchema.safeParse(value);
  if (checked.success) return checked.data;

  const mistakes = checked.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: "unknown field" }))
      : [{ path: issue.path, message: issue.message }],
  );
  const told = mistakes.map(
    ({ path, message }) => `${placeOf(path)}: ${fieldText(path)}: ${message}`,
  );
  throw new SysError("EINVAL", told.join("; "), {
    hint: "a script has `turns` (when, say, call, once, delayMs, pieceMs, verbatim, finish) and `otherwise` (the same but when and once)",
  });
}

/** Where a field stands; for one that is missing, where it should be. */
function offsetOf(document: Document, path: FieldPath): number {
  const start = (node: Node): number => node.range?.[0] ?? 0;
  let node: unknown = document.contents;
  let offset = isNode(node) ? start(node) : 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined || !isNode(pair.key)) break;
      offset = start(pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isNode(node)) break;
      offset = start(node);
    } else {
      break;
    }
  }
  return offset;
}

/** `turns[0].when.last`; `script` for the whole. */
function fieldText(path: FieldPath): string {
  if (path.length === 0) return "script";
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
}
