// Tools about questions that wait for a person. An answer is recorded under the name of the caller's token.

import {
  argumentFields,
  isFullPage,
  SysError,
  type OperationArgs,
  type Question,
} from "@aos/protocol";
import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import type { CallOperation } from "../operations-as.ts";
import { questionOf, questionShape } from "../run-status.ts";
import { successResult, toolRow, type ToolCallContext } from "../tool-row.ts";

const YES = ["yes", "approve", "allow", "ok", "retry"];
const NO = ["no", "deny", "fail"];

const { choice } = argumentFields("answer");
const notes = { id: "list_approvals has them" };

const report = z.object({
  id: z.string(),
  choice: z.string(),
  settled: z.boolean().describe("False while more people have to say the same."),
  votes: z.number(),
  needed: z.number(),
});

const listApprovals = toolRow({
  name: "list_approvals",
  title: "What waits for a person",
  description: "The questions that runs wait for a person to answer.",
  operation: "questions",
  takes: ["after", "limit"],
  own: {},
  output: z.object({
    questions: z.array(
      questionShape.extend({
        agent: z.string().optional(),
        call: z.string().optional().describe("The call that waits."),
        args: z.string().optional().describe("What it would be called with, as JSON."),
        rule: z.string().optional().describe("The rule that asks."),
      }),
    ),
    next: z.string().optional().describe("Where there may be more: what the next page is `after`."),
  }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async run(page, { ask, signal }) {
    const open = await ask("questions", page, signal);
    const next = isFullPage(open, page.limit) ? open.at(-1)?.id : undefined;
    const questions = open.map((one) => ({ ...questionOf(one), ...aboutOf(one) }));
    return successResult({ questions, ...omitUndefined({ next }) });
  },
});

function aboutOf({ about }: Question) {
  if (about === null) return {};
  const { agent, tool, call, args, rule } = about;
  return { agent, call: tool ?? call, args, ...(rule === null ? {} : { rule }) };
}

const approve = toolRow({
  name: "approve",
  title: "Approve",
  description:
    "Answer yes to what a run waits for, on behalf of a person who has decided so. The run goes on and does what it asked for.",
  operation: "answer",
  takes: ["id", "text", "always"],
  notes,
  own: { choice: choice.optional().describe("one of its choices, where yes is none") },
  output: report,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  run: ({ choice: chosen, ...rest }, asked) =>
    say({ ...rest, words: chosen === undefined ? YES : [chosen] }, asked),
});

const deny = toolRow({
  name: "deny",
  title: "Deny",
  description:
    "Answer no to the open question of a run. The run receives the refusal and continues.",
  operation: "answer",
  takes: ["id", "text"],
  notes,
  own: {},
  output: report,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  run: (args, asked) => say({ ...args, words: NO }, asked),
});

interface ApprovalWord {
  readonly id: string;
  readonly words: readonly string[];
  readonly text?: string | undefined;
  readonly always?: boolean | undefined;
}

async function say(
  { id: asked, words, text: why, always }: ApprovalWord,
  { ask, signal }: ToolCallContext,
) {
  const question = (await ask("questions", { id: asked }, signal)).find((one) => one.id === asked);
  if (question === undefined) {
    throw new SysError("ENOENT", `no pending question has the id ${asked}`, {
      hint: "list_approvals lists the pending questions",
    });
  }
  const { id: found, choices } = question;
  const word = choices.length === 0 ? words[0] : words.find((one) => choices.includes(one));
  if (word === undefined)
    throw new SysError("EINVAL", `${found} has these answers: ${choices.join(", ")}`);
  const answer = { id: found, choice: word, ...omitUndefined({ text: why, always }) };
  const came = await ask("answer", answer as OperationArgs<"answer">, signal);
  const { settled, votes, needed } = came;
  return successResult({ id: found, choice: word, settled, votes, needed });
}

/** Without `mayApprove` there is no approve: not in the list, and not to call. */
export const approvalToolRows = (mayApprove: boolean) =>
  mayApprove ? [listApprovals, approve, deny] : [listApprovals, deny];

/** The same operations; an answer that is not a no is refused unless it is allowed, whichever way it comes. */
export const withoutApproval = (ask: CallOperation, mayApprove: boolean): CallOperation =>
  mayApprove
    ? ask
    : async (name, args, signal) => {
        if (name === "answer" && !NO.includes((args as OperationArgs<"answer">).choice))
          throw new SysError("EACCES", "approving questions over MCP is switched off", {
            hint: "a person answers with `aos approve` or in the dashboard; `mcp: { approve: true }` in config.yaml allows it over MCP",
          });
        return ask(name, args, signal);
      };
