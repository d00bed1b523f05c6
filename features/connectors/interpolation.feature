Feature: Expressions in the values of a node

  Rule: `with` and `input` use expressions without a wrapper

    @far-end @CONN-068 @CONN-069 @CONN-070 @CONN-071 @CONN-072
    Scenario: values come from the triggering event and from earlier nodes
      Given a chat endpoint with the model "large" that wants no key
      And the handler "explain" on "build.failed" has the graph:
        """
        {"nodes": [
          {"id": "first", "type": "chat_llm.chat", "config": {
            "with": {"base_url": "{far}/v1", "model": "{{ input.payload.model }}"}, "input": {"prompt": "why: {{ input.payload.error }}"}}},
          {"id": "second", "type": "chat_llm.chat", "config": {
            "with": {"base_url": "{far}/v1", "model": "{{ nodes.first.output.body.model }}"},
            "input": {"prompt": "{{ nodes.first.output.body.choices[0].message.content }}!"}}}],
         "edges": [{"from": "first", "to": "second"}]}
        """
      When I emit "build.failed" with '{"error": "no space", "model": "large", "code": 28}'
      Then the project comes to rest
      And the body of request 1 is '{"model": "large", "messages": [{"role": "user", "content": "why: no space"}]}'
      And the body of request 2 is '{"model": "large", "messages": [{"role": "user", "content": "user: why: no space!"}]}'

    @far-end @CONN-068 @CONN-069
    Scenario: an expression that is the whole value keeps its type, and one inside text becomes text
      Given a chat endpoint with the model "small" that wants no key
      When I run the graph:
        """
        {"nodes": [
          {"id": "values", "type": "set", "config": {"values": {"texts": ["a", "b"], "n": 2, "m": "small"}}},
          {"id": "embed", "type": "embeddings.embed", "config": {
            "with": {"base_url": "{far}/v1", "model": "{{ nodes.values.output.m }}"},
            "input": {"texts": "{{ nodes.values.output.texts }}", "dimensions": "{{ nodes.values.output.n }}"}}}],
         "edges": [{"from": "values", "to": "embed"}]}
        """
      Then the run succeeds
      And the body of request 1 is '{"model": "small", "input": ["a", "b"], "encoding_format": "float", "dimensions": 2}'

  Rule: Double braces have no meaning in programs

    @CONN-073 @CONN-074
    Scenario: shell scripts and code run exactly as written
      When I run the graph:
        """
        {"nodes": [
          {"id": "sh", "type": "shell", "config": {"script": "echo 'as {{ input.payload.error }} is'"}},
          {"id": "js", "type": "code", "config": {"script": "console.log(JSON.stringify({a: '{{ nodes.sh.output }}'}))"}}]}
        """
      Then the run succeeds
      And "output.sh" of the run is "as {{ input.payload.error }} is"
      And "output.js.a" of the run is "{{ nodes.sh.output }}"
