// Answer routes: links of notifications, which a person follows.
//
//   GET  /answer/TOKEN   shows the question, and changes nothing
//   POST /answer/TOKEN   answers it
//
// ANSWER-ROUTES-1  Nothing but the signed token lets a caller in. A GET, as mail scanners and previews make it, only
//     reads. A link that is forged, changed, over, or of a target that config.yaml has no more is refused.
// ANSWER-ROUTES-2  A link is used once: the use is claimed in the store before the answer is given, by person and
//     question, so that a person's links over two targets count once. A refused answer frees it.
// ANSWER-ROUTES-3  The answer is the configured person's, within the tenant of the target, to the question and the
//     digest that the link and the page name. Programs are no persons, and `always` is not to be had here.
// ANSWER-ROUTES-4  An answer says when it is too late, and who answered.

import type { Kernel } from "@aos/kernel";
import { SysError, type Question } from "@aos/protocol";
import type { Context, Hono } from "hono";
import type { GatewayEnv } from "../gateway/caller.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { RateLimit } from "../gateway/limits.ts";
import { tenantKernel } from "../gateway/tenant-kernel.ts";
import { addressOf } from "../starts/hook-routes.ts";
import { RefusalEntries } from "../starts/refusal-entries.ts";
import { requestBytes } from "../starts/request-bytes.ts";
import { ANSWER_PATH, readLink, type AnswerLink } from "./answer-link.ts";
import { answerForm, answerNote, answerStyle } from "./answer-page.ts";
import { openQuestion } from "./notice-of.ts";
import { notifyTargets } from "./notify-config.ts";

type Gateway = Pick<GatewayContext, "kernel" | "config">;

const MOST_FORM = 16_384;

export function addAnswerRoutes(app: Hono<GatewayEnv>, gateway: Gateway): void {
  const limit = new RateLimit(gateway.config.http.rate);
  const refusals = new RefusalEntries(gateway.kernel);
  app.get(`${ANSWER_PATH}/style.css`, () => said(answerStyle, 200, "text/css; charset=utf-8"));
  app.on(["GET", "POST"], `${ANSWER_PATH}/:token`, async (context) => {
    limit.take(addressOf(context));
    const link = await openLink(gateway, context.req.param("token"));
    if ("problem" in link) {
      if (link.isForged)
        await refusals.add("answer.refuse", "answer", {
          from: addressOf(context),
          why: link.problem,
        });
      return note(link.isForged ? 401 : 410, link.title, link.problem);
    }
    return context.req.method === "POST"
      ? answerBy(link, context)
      : said(answerForm(link.question, link.claim), 200);
  });
}

interface OpenLink {
  readonly kernel: Kernel;
  readonly ofTenant: Pick<Kernel, "answer">;
  readonly claim: AnswerLink;
  readonly question: Question;
}

interface ClosedLink {
  readonly isForged: boolean;
  readonly title: string;
  readonly problem: string;
}

/** ANSWER-ROUTES-1. */
async function openLink(
  { kernel, config }: Gateway,
  token: string,
): Promise<OpenLink | ClosedLink> {
  const forged = { isForged: true, title: "Not a link of this daemon" };
  const over = { isForged: false, title: "This link is no longer good" };
  const claim = await readLink(kernel, token);
  if (claim === undefined)
    return { ...forged, problem: "It was changed, or made with another key." };
  const { person, tenant, question: id, digest, expiresAt } = claim;
  if (expiresAt <= Date.now())
    return { ...over, problem: `It has expired. Answer on the machine: aos approvals show ${id}` };
  const isKnown = notifyTargets(config.notify).some(
    (row) => row.name === claim.target && row.tenant === tenant && row.person === person,
  );
  if (!isKnown) return { ...over, problem: "The target that it was sent to has changed." };
  const usedAt = await kernel.linkUsedAt({ question: id, person });
  if (usedAt !== undefined)
    return {
      ...over,
      problem: `${person} used a link for this question at ${new Date(usedAt).toISOString()}. See: aos audit ledger`,
    };
  const question = await openQuestion(kernel, id, tenant);
  if (question === undefined)
    return { ...over, problem: `${await fateOf(kernel, id)} See: aos audit ledger` };
  if (question.digest !== digest)
    return { ...over, problem: "The agent asks for something else by now." }; // ANSWER-LINK-2
  if (question.votes.some((vote) => vote.person === person))
    return { ...over, problem: `${person} has answered already.` };
  return { kernel, ofTenant: tenantKernel(kernel, tenant), claim, question };
}

/** ANSWER-ROUTES-4. */
async function fateOf(kernel: Kernel, id: string): Promise<string> {
  const answers = (await kernel.ledger()).filter(({ what }) => what === "question.answer");
  const last = answers.findLast(
    ({ detail }) => (detail as { question?: string } | null)?.question === id,
  );
  if (last === undefined) return "The question was withdrawn, has expired, or its run has ended.";
  const { choice } = last.detail as { choice?: string };
  return `${last.by} answered ${choice ?? ""} at ${last.at}.`;
}

async function answerBy(
  { kernel, ofTenant, claim, question }: OpenLink,
  context: Context<GatewayEnv>,
): Promise<Response> {
  const body = await requestBytes(context.req.raw, MOST_FORM);
  if (body === undefined) return note(413, "Too much", "The answer is too long.");
  const form = new URLSearchParams(Buffer.from(body).toString("utf8"));
  const choice = form.get("choice") ?? "";
  if (form.get("digest") !== question.digest || choice === "")
    return note(400, "Not answered", "The form is not the one of this question.");
  const { person, target, tenant } = claim;
  const of = { question: question.id, person };
  if (!(await kernel.useLink({ ...of, tenant })))
    return note(410, "This link is no longer good", `${person} has used a link for it already.`); // ANSWER-ROUTES-2
  const text =
    `${form.get("text")?.slice(0, 2000).trim() ?? ""} (by a link sent to ${target})`.trim();
  try {
    const report = await ofTenant.answer(question.id, { by: person, choice, text });
    const needed = report.settled ? "" : ` ${report.votes} of ${report.needed} votes.`;
    return note(200, "Answered", `${person} answered ${choice}.${needed} You can close this page.`);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    if (error.code !== "ESTATE") await kernel.freeLink(of);
    return note(409, "Not answered", error.message);
  }
}

const HTML = "text/html; charset=utf-8";

const said = (body: string, status: number, type = HTML): Response =>
  new Response(body, { status, headers: { "content-type": type, "cache-control": "no-store" } });

const note = (status: number, title: string, words: string): Response =>
  said(answerNote(title, words), status);
