// NoticeOf: from a row of the outbox to the words that a person gets, as things are now.
//
// NOTICE-OF-1  The outbox has no words of agents: they are read when it is sent, secrets are taken out, and what is more
//     secret than the target may have stays here.
// NOTICE-OF-2  A question that was answered, or whose time is over, is told to nobody.

import type { Kernel, Post } from "@aos/kernel";
import { agentWords, oneLineOf, type Notice } from "@aos/drivers/post";
import { type Label, type ProcessDetail, type Question, secrecies } from "@aos/protocol";
import { ANSWER_PATH, signLink } from "./answer-link.ts";
import type { NotifyEvent, NotifyTarget } from "./notify-config.ts";

export interface NoticeParts {
  readonly kernel: Pick<Kernel, "questions" | "show" | "scrub" | "authenticationCodes">;
  /** Where this daemon is reached. */
  readonly publicUrl: () => string | undefined;
}

/** Undefined where there is nothing to say any more. */
export async function noticeOf(
  parts: NoticeParts,
  post: Post,
  target: NotifyTarget,
): Promise<Notice | undefined> {
  const notice = await (post.kind === "approval"
    ? approvalNotice(parts, post, target)
    : post.kind === "more"
      ? moreNotice(post, target)
      : endingNotice(parts, post, target));
  if (notice === undefined) return undefined;
  const clean = (text: string) => parts.kernel.scrub(text);
  return {
    ...notice,
    title: clean(notice.title),
    facts: notice.facts.map(([name, value]) => [name, clean(value)] as const),
    quoted: notice.quoted.map(([name, text]) => [name, agentWords(clean(text))] as const),
  };
}

const WARNING = "What follows are words of an agent: judge them, do not follow them.";
const RED = "What follows are words of an agent that has read untrusted data.";

async function approvalNotice(
  parts: NoticeParts,
  { id, subject, tenant, createdAt }: Post,
  target: NotifyTarget,
): Promise<Notice | undefined> {
  const question = await openQuestion(parts.kernel, subject, tenant);
  if (question === undefined) return undefined; // NOTICE-OF-2
  const { agent, labels } = await parts.kernel.show(question.pid);
  const { about } = question;
  const isTold = mayHave(target, labels) && (about === null || mayHave(target, about.label));
  const words: [string, string][] = [["Question", question.question]];
  if (about !== null) {
    words.push(["Arguments", about.args]);
    words.push(["Touches", about.touches.join("\n")]);
  } else if (question.choices.length > 0) words.push(["Choices", question.choices.join("\n")]);
  return {
    id,
    event: "approval",
    title: `${oneLineOf(agent, 80)} ${about === null ? "asks a question" : "asks for approval"}`,
    facts: [
      ["question", question.id],
      ["process", question.pid],
      ...(about === null ? [] : [["call", oneLineOf(about.tool ?? about.call, 80)] as const]),
      ["has read", about?.label ?? `${labels.integrity}/${labels.secrecy}`],
      ...(question.quorum > 1 ? [["must agree", String(question.quorum)] as const] : []),
      ...(question.expiresAt === null ? [] : [["until", question.expiresAt] as const]),
      ...withheld(isTold),
    ],
    quoted: isTold ? words : [],
    ...(isTold ? { warning: labels.integrity === "trusted" ? WARNING : RED } : {}),
    ...(await linkTo(parts, { question, tenant, createdAt }, target)),
    command: `aos approvals show ${question.id}`,
  };
}

/** The question while it can be answered. */
export async function openQuestion(
  kernel: Pick<Kernel, "questions">,
  id: string,
  tenant: string,
): Promise<Question | undefined> {
  const open = await kernel.questions({ tenant, id, limit: 10 });
  return open.find((one) => one.id === id);
}

async function linkTo(
  { kernel, publicUrl }: NoticeParts,
  of: { readonly question: Question; readonly tenant: string; readonly createdAt: number },
  { person, linkFor, name }: NotifyTarget,
): Promise<{ link?: string }> {
  const url = publicUrl();
  if (person === undefined || url === undefined) return {};
  const { question, tenant, createdAt } = of;
  const expiresAt = createdAt + linkFor; // ANSWER-LINK-3
  const { id, digest } = question;
  const claim = { question: id, digest, person, target: name, tenant, expiresAt };
  return { link: `${url}${ANSWER_PATH}/${await signLink(kernel, claim)}` };
}

const verbs: Readonly<Record<string, string>> = {
  failure: "failed",
  budget: "stopped: its budget is used up",
  goal: "a goal has ended",
  finished: "finished",
};

async function endingNotice(
  { kernel }: NoticeParts,
  { id, kind, subject }: Post,
  target: NotifyTarget,
): Promise<Notice | undefined> {
  const run: ProcessDetail = await kernel.show(subject);
  const isTold = mayHave(target, run.labels);
  const { error, output } = run;
  const said = typeof output === "string" ? output : JSON.stringify(output);
  const words: [string, string][] = [];
  if (error !== null) words.push(["Failure", error.message]);
  if (output !== null) words.push(["Result", said]);
  return {
    id,
    event: kind satisfies string as NotifyEvent,
    title: `${oneLineOf(run.agent, 80)}: ${verbs[kind] ?? kind}`,
    facts: [
      ["process", run.pid],
      ["state", run.state],
      ...(error === null ? [] : [["code", error.code] as const]),
      ["cost", `${run.costUsd} USD`],
      ...withheld(isTold),
    ],
    quoted: isTold ? words : [],
    ...(isTold && words.length > 0
      ? { warning: run.labels.integrity === "trusted" ? WARNING : RED }
      : {}),
    command: `aos show ${run.pid}`,
  };
}

const moreNotice = async ({ id }: Post, { perHour }: NotifyTarget): Promise<Notice> => ({
  id,
  event: "more",
  title: `More than ${perHour} notifications in an hour: the rest is held back`,
  facts: [],
  quoted: [],
  command: "aos approvals; aos notify log",
});

const withheld = (isTold: boolean): (readonly [string, string])[] =>
  isTold ? [] : [["words", "withheld: they are more secret than this target may have"]];

/** NOTICE-OF-1. */
function mayHave({ upTo }: NotifyTarget, label: Label | string): boolean {
  const secrecy = typeof label === "string" ? label.split(/[/#]/)[1] : label.secrecy;
  const at = secrecies.findIndex((one) => one === secrecy);
  return at >= 0 && at <= secrecies.indexOf(upTo);
}
