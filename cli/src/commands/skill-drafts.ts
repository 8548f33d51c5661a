import type { Command } from "../command.ts";
import { draftText } from "../draft-text.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ args: [name], client, out }) => {
  if (name !== undefined) {
    const draft = await client.skillDraft({ name });
    await out.data(draft, () => draftText(draft));
    return;
  }
  const drafts = await client.skillDrafts({});
  await out.data(drafts, () =>
    drafts.length === 0
      ? "No drafts. `aos skill draft PID` makes one from a run that went well."
      : table(
          ["NAME", "RUN", "LABEL", "MADE BY", "DESCRIPTION"],
          drafts.map(({ name: draft, run, label, madeBy, isUntrusted, description, problems }) => [
            draft,
            run ?? "-",
            `${label ?? "-"}${isUntrusted ? " RED" : ""}`,
            printable(madeBy ?? "-"),
            printable(problems.length === 0 ? description : problems.join("; ")),
          ]),
          out,
        ),
  );
};

export default command;
