// Llama server: llama.cpp behind as much of the OpenAI chat wire as a local server speaks: streams, a form of
// the answer, a tool that must be used. Prints its address on one line; a line for every request that ends.
//
//   node llama-server.mjs MODEL.gguf

import { createServer } from "node:http";
import { getLlama, LlamaCompletion, LlamaLogLevel } from "node-llama-cpp";

const llama = await getLlama({
  gpu: false,
  build: "never",
  logLevel: LlamaLogLevel.disabled,
  maxThreads: 1,
});
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: 2048, threads: 1 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

const server = createServer((request, response) => void handle(request, response));

async function handle(request, response) {
  let text = "";
  for await (const piece of request) text += piece;
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  try {
    await answer(JSON.parse(text), response, stop.signal);
    response.end();
    console.log("answered");
  } catch (error) {
    console.log(stop.signal.aborted ? "stopped" : `failed ${String(error)}`);
    response.destroy();
  }
}
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

async function answer(body, response, signal) {
  const prompt = model.tokenize(
    body.messages.map(({ role, content }) => `${role}: ${content}\n`).join(""),
  );
  const tool = body.tool_choice === "required" ? body.tools[0].function : undefined;
  const schema = tool?.parameters ?? body.response_format?.json_schema?.schema;
  const send = (delta, finish = null, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: body.model, choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`,
    );

  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ role: "assistant", content: "" });
  let tokens = 0;
  const { response: said, metadata } = await completion.generateCompletionWithMeta(prompt, {
    maxTokens: body.max_tokens,
    temperature: body.temperature ?? 0,
    seed: 1,
    signal,
    onToken: (more) => (tokens += more.length),
    onTextChunk: (piece) => tool === undefined && send({ content: piece }),
    ...(schema === undefined ? {} : { grammar: await llama.createGrammarForJsonSchema(schema) }),
  });
  signal.throwIfAborted();
  if (tool !== undefined)
    send({
      tool_calls: [
        {
          index: 0,
          id: "call_1",
          type: "function",
          function: { name: tool.name, arguments: said },
        },
      ],
    });
  const wasCut = metadata.stopReason === "maxTokens";
  send({}, wasCut ? "length" : tool === undefined ? "stop" : "tool_calls", {
    usage: {
      prompt_tokens: prompt.length,
      completion_tokens: tokens,
      total_tokens: prompt.length + tokens,
    },
  });
  response.write("data: [DONE]\n\n");
}
