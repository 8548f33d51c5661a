import type { ContextAnswer, ContextPassage } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { startProgress } from "../progress.ts";
import { readNumberOption, readUsdOption } from "../read-number.ts";

const command: Command = async ({ args: [question = ""], client, options, out }) => {
  const tokens = readNumberOption(options.text("tokens"), "--tokens");
  const [model, tenant] = [options.text("model"), options.text("tenant")];
  const usd = readUsdOption(options.text("usd"), "--usd");
  const rerank = options.text("rerank");
  const collections = options.texts("in");
  const progress = startProgress(out, "searching");
  const answer = await client
    .askContext({
      question,
      ...(collections.length === 0 ? {} : { collections: [...collections] }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(model === undefined ? {} : { model }),
      ...(rerank === undefined ? {} : { rerank }),
      ...(usd === undefined ? {} : { usd }),
      ...(tenant === undefined ? {} : { tenant }),
    })
    .finally(() => progress.stop());
  await out.data(answer, () =>
    rerank !== undefined && answer.rerankedBy === null && answer.passages.length > 1
      ? `${shown(answer)}\n\nNot reranked: ${rerank} failed, or would cost too much (--usd).`
      : shown(answer),
  );
};

function shown({ answer, passages, conflicts, leftOut, tokens, budget, citations }: ContextAnswer) {
  if (passages.length === 0) return "Nothing that was ingested or remembered fits these words.";
  const cited = new Set(citations);
  const parts = passages.map((one) =>
    answer === null || cited.has(one.n) ? passageText(one, answer === null) : "",
  );
  return [
    ...(answer === null ? [] : [printable(answer)]),
    ...parts.filter((part) => part !== ""),
    ...conflicts.map(
      ({ heading, passages: members }) =>
        `Versions differ: ${printable(heading)}: ${members.map((n) => `[${n}]`).join(" and ")}`,
    ),
    [
      `${passages.length} passages, about ${tokens} of ${budget} tokens.`,
      ...leftOut.map((one) => `Left out: ${one.passages} ${REASONS[one.reason]}.`),
    ].join(" "),
  ].join("\n\n");
}

const REASONS = {
  budget: "beyond the budget (--tokens)",
  weak: "that fit much less well",
  duplicate: "with the same text",
};

function passageText(one: ContextPassage, isWhole: boolean): string {
  const lines =
    one.line === null ? "" : `:${one.line}${one.endLine === one.line ? "" : `-${one.endLine}`}`;
  const place = `${printable(one.file ?? one.path)}${lines}`;
  const more = [
    one.heading === null ? "" : printable(one.heading),
    one.commit === null ? "" : `commit ${one.commit.slice(0, 12)}`,
    claimText(one),
    one.label ?? "",
    `score ${one.score.toFixed(2)}`,
  ].filter((part) => part !== "");
  const head = `[${one.n}] ${place}  (${more.join("; ")})`;
  return isWhole ? `${head}\n    ${printable(one.text).replaceAll("\n", "\n    ")}` : head;
}

/** The writer's word, where no ingestion wrote it. */
function claimText({ claimed }: ContextPassage): string {
  if (claimed === null) return "";
  const commit = claimed.commit === undefined ? "" : ` commit ${claimed.commit.slice(0, 12)}`;
  return `${claimed.by} claims: ${printable(`${claimed.file}${commit}`)}`;
}

export default command;
