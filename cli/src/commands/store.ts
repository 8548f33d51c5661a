import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const MOST_LINES = 50;

const command: Command = async ({ client, out }) => {
  const report = await client.storeReport();
  await out.data(report, () => {
    const { ok, store, heads, summary, held, lost, damage } = report;
    if (ok) return `${store}: nothing is lost, by ${heads} signed heads`;
    const lines = [
      ...damage,
      ...held.map(({ pid, why }) => `${pid} is held: ${why}`),
      ...lost
        .filter(({ kind }) => kind === "missing")
        .map(({ pid, known }) => `${pid} is gone; its last known record is ${known}`),
    ];
    return [
      `${store}: ${summary}`,
      ...lines.slice(0, MOST_LINES),
      ...(lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more: -o json`] : []),
      "To do: stop the daemon and restore a newer backup; or `aos store accept`, after which what",
      "was lost counts as lost, and external effects that may have happened are asked about first.",
    ].join("\n");
  });
  return report.ok ? exitCodes.success : exitCodes.failed;
};

export default command;
