// Prompts of the conformance suite. The daemon has none of its own.

import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type Prompt,
  type PromptMessage,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { PICTURE } from "./content.ts";
import { askForContext, promptContext } from "./round-tools.ts";

type Rendered = GetPromptResult | ReturnType<typeof askForContext>;

interface PromptRow {
  readonly prompt: Prompt;
  readonly render: (args: Readonly<Record<string, string>>, context: ServerContext) => Rendered;
}

const says = (text: string): PromptMessage => ({ role: "user", content: { type: "text", text } });

const row = (name: string, takes: readonly string[], render: PromptRow["render"]): PromptRow => ({
  prompt: {
    name,
    description: `A fixture of the conformance suite: ${name}.`,
    arguments: takes.map((argument) => ({ name: argument, required: true })),
  },
  render,
});

const rows: readonly PromptRow[] = [
  row("test_simple_prompt", [], () => ({
    messages: [says("This is a simple prompt for testing.")],
  })),
  row("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => ({
    messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  })),
  row("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri = "" }) => {
    const resource = { uri: resourceUri, mimeType: "text/plain", text: "Embedded for testing." };
    const content = { type: "resource", resource } as const;
    return { messages: [{ role: "user", content }, says("Please process the resource above.")] };
  }),
  row("test_prompt_with_image", [], () => ({
    messages: [
      { role: "user", content: { type: "image", ...PICTURE } },
      says("Please look at the image above."),
    ],
  })),
  row("test_input_required_result_prompt", [], (_args, context) => {
    const given = promptContext(context);
    return given === undefined ? askForContext() : { messages: [says(`Use this: ${given}`)] };
  }),
];

export function addPrompts(server: Server): void {
  server.setRequestHandler("prompts/list", async () => ({
    prompts: rows.map(({ prompt }) => prompt),
  }));
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    const found = rows.find(({ prompt }) => prompt.name === params.name);
    const missing = found?.prompt.arguments?.find(({ name }) => !params.arguments?.[name]);
    if (found === undefined || missing !== undefined) {
      const what = missing === undefined ? `no prompt ${params.name}` : `no ${missing.name}`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is ${what}`);
    }
    return found.render(params.arguments ?? {}, context) as GetPromptResult;
  });
}
