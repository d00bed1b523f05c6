/** Server-sent events of a byte stream as `{id, event, data}`. EventSource cannot send a token. */
export async function* events(stream) {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = read(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

function read(block) {
  const fields = { id: undefined, event: 'message', data: [] };
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'data') fields.data.push(value);
    else if (name === 'id' || name === 'event') fields[name] = value;
  }
  return fields.data.length === 0 ? undefined : { ...fields, data: fields.data.join('\n') };
}
