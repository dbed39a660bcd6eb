// A text that comes part by part, as server-sent events.

export async function* partsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (waiting + value).split("\n");
    waiting = lines.pop()!;
    for (const line of lines) if (line.startsWith("data: {")) for (const { text } of JSON.parse(line.slice(6)).choices) yield text;
  }
}
