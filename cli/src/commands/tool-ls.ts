import type { Command } from "../command.ts";
import { printProblems } from "../print-problems.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, client, endpoint, out }) => {
  const search = args.join(" ");
  const tools = await client.tools({ cwd: process.cwd(), ...(search === "" ? {} : { search }) });
  if (tools[0]?.searchedBy === "words")
    out.note("searched by keywords only; the daemon's log says why semantic search is unavailable");
  await printProblems({ client, endpoint, out }, [process.cwd()]);
  await out.data(tools, () =>
    table(
      ["NAME", "SOURCE", "EFFECT", "+CALLS", "+FAILED", "+P50", "+P95", "+TAGS", "DESCRIPTION"],
      tools.map((tool) => [
        tool.deprecated === null ? tool.name : `${tool.name} (deprecated)`,
        tool.source,
        tool.effect,
        String(tool.calls),
        String(tool.failures),
        ms(tool.p50Ms),
        ms(tool.p95Ms),
        tool.tags.join(" "),
        firstSentence(tool.description),
      ]),
      out,
    ),
  );
};

export default command;

const ms = (value: number | null): string => (value === null ? "-" : `${Math.round(value)} ms`);

function firstSentence(text: string): string {
  const [first = ""] = text.split(/(?<=\.)(?<!\b(?:e\.g|i\.e)\.)\s|\n/, 1);
  return first.length > 80 ? `${first.slice(0, 77)}...` : first;
}
