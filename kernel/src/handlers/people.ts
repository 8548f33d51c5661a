// ask: a question in a program's own words, or a proposal of a grant.
//
// ANSWERS-PEOPLE-1  A proposal is parsed before a person is asked, and shown with what it adds.
// ANSWERS-PEOPLE-2  A process that receives a yes to its proposal holds the grant, whichever node took the answer.
// ANSWERS-PEOPLE-3  A question ends at its `until` with ETIMEDOUT; an unanswered proposal is EDENIED.

import { SysError, visibleText, type Json, type SyscallArgs } from "@aos/protocol";
import { aboutOf } from "../approval/question-about.ts";
import { batchOf } from "../approval/batch.ts";
import { difference } from "./difference.ts";
import { unansweredFailure, questionOutcome } from "../approval/outcome.ts";
import { Questions, type QuestionDraft } from "../approval/questions.ts";
import { parseCapability } from "../capability/index.ts";
import { readCapabilities } from "../process/process-factory.ts";
import type { Process } from "../process/process.ts";
import type { QuestionRow } from "../store/rows.ts";
import { digestOfAction } from "../syscall/action.ts";
import type { SyscallResult, CallContext, SyscallHandler } from "../syscall/syscall-handler.ts";
import type { PersonServices } from "./services.ts";
import { listenForAnswer } from "../syscall/approval-requests.ts";
import { digestOfRuns, callerIdentity } from "../syscall/run-identity.ts";

export const ask: SyscallHandler<"ask", PersonServices> = (services, args, asked) => {
  const { process, call } = asked;
  const draft =
    args.propose === undefined ? question(services, args, asked) : proposal(services, args, asked);
  return asked.waitFor(
    "approval",
    undefined, // the question itself knows when its time is over
    (answer, leave) =>
      listenForAnswer(
        services.questions,
        { process, call, draft },
        {
          heard: (row) => void held(services, process, row).then(answer, answer),
          failed: answer,
          leave,
        },
      ),
    false,
  );
};

/** ANSWERS-PEOPLE-2. */
async function held(
  services: PersonServices,
  process: Process,
  row: QuestionRow,
): Promise<SyscallResult | Error> {
  if (row.kind === "proposal" && row.answer === "approve") await services.hold(process);
  return answerOf(row);
}

/** ANSWERS-PEOPLE-3. */
function answerOf(row: QuestionRow): SyscallResult | Error {
  const outcome = questionOutcome(row);
  if (outcome.kind === "answered")
    return { value: outcome.answer, cause: `operator:${row.answeredBy}` };
  if (outcome.kind === "expired" && row.kind === "question")
    return new SysError("ETIMEDOUT", "no message arrived in time");
  return unansweredFailure(outcome, "ask");
}

function question(
  services: PersonServices,
  args: SyscallArgs<"ask">,
  asked: CallContext,
): QuestionDraft {
  const { choices = [], until } = args;
  const id = Questions.id(asked.process.pid, asked.call.n, "question");
  return {
    ...common(services, args, asked),
    id,
    kind: "question",
    choices,
    expiresAt: until ?? null,
    batch: id,
    about: aboutOf(matterOf(asked), services.scrub) as unknown as Json,
  };
}

/** ANSWERS-PEOPLE-1. */
function proposal(
  services: PersonServices,
  args: SyscallArgs<"ask">,
  asked: CallContext,
): QuestionDraft {
  const { process, call } = asked;
  if (args.choices !== undefined)
    throw new SysError("EINVAL", "ask: choices: a proposal is approved or denied");
  const { questions, platform, scrub } = services;
  const cover = readCapabilities(args.propose!);
  const more = difference(cover.map(parseCapability), process.holdings, platform.now());
  const runs = callerIdentity(process);
  const matter = { ...matterOf(asked), cover, difference: more, runs };
  const about = aboutOf(matter, scrub);
  const row = common(services, args, asked);
  return {
    ...row,
    id: Questions.id(process.pid, call.n, "proposal"),
    kind: "proposal",
    choices: ["approve", "deny"],
    expiresAt: args.until ?? row.askedAt + questions.limits.expiresMs,
    batch: batchOf({
      tenant: process.tenant,
      agent: about.agent,
      call: "ask",
      args: { question: args.question, difference: more },
      rule: "",
      label: about.label,
      channel: row.channel,
      quorum: row.quorum,
      cover,
      runs: digestOfRuns(runs),
    }),
    about: about as unknown as Json,
  };
}

function common(
  services: PersonServices,
  args: SyscallArgs<"ask">,
  { process, call, action }: CallContext,
) {
  const channel = args.channel ?? null;
  return {
    tenant: process.tenant,
    process: process.key,
    pid: process.pid,
    n: call.n,
    askedAt: services.platform.now(),
    question: visibleText(services.scrub(args.question)),
    digest: digestOfAction(action, process.pid),
    channel,
    quorum: services.questions.channels.quorumOf(channel, 1),
  };
}

const matterOf = ({ process }: CallContext) => ({
  agent: process.row.agent,
  call: "ask",
  args: null,
  label: process.label,
});
