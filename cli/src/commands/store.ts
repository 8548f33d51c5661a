import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const MOST_LINES = 50;

const command: Command = async ({ client, out }) => {
  const report = await client.storeReport();
  await out.data(report, () => {
    const { ok, store, heads, summary, held, lost, damage } = report;
    if (ok) return `${store}: nothing is lost (checked against ${heads} signed heads)`;
    const lines = [
      ...damage,
      ...held.map(({ pid, why }) => `${pid} is blocked: ${why}`),
      ...lost
        .filter(({ kind }) => kind === "missing")
        .map(({ pid, known }) => `${pid} is missing; its last known record is ${known}`),
    ];
    return [
      `${store}: ${summary}`,
      ...lines.slice(0, MOST_LINES),
      ...(lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more: -o json`] : []),
      "To do: stop the daemon and restore a newer backup, or run `aos store accept`. That accepts",
      "the loss; external effects that may have happened are then put to a person first.",
    ].join("\n");
  });
  return report.ok ? exitCodes.success : exitCodes.failed;
};

export default command;
