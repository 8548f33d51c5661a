// An evaluation that needs no model: the text of its file.

export const echoEval = {
  file: "echo.eval.yaml",
  text: JSON.stringify({
    apiVersion: "aos/v1",
    kind: "Eval",
    name: "echo",
    agents: [
      {
        name: "asked",
        manifest: { apiVersion: "aos/v1", kind: "Agent", name: "asked", program: "fetcher" },
      },
    ],
    data: [{ id: "one", input: "hi", expected: "hi" }],
    scorers: [{ type: "exit", code: 2 }],
  }),
};
