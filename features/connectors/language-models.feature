Feature: Language models

  Rule: A messages API gets its key in a separate header

    @far-end @CONN-015 @CONN-016 @CONN-017 @CONN-018 @CONN-019 @CONN-020
    Scenario: a later node uses the text of the reply
      Given a messages endpoint with the key "key-of-messages"
      And the credential "llm" is '{"kind": "api_key", "header": "Authorization", "value": "key-of-messages"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "ask", "type": "messages_llm.messages", "config": {"credential": "llm",
            "with": {"model": "big", "api_base": "{far}"}, "input": {"prompt": "say hello"}}},
          {"id": "use", "type": "set", "config": {"values": {"$expr": "nodes.ask.output.body.content[0].text"}}}],
         "edges": [{"from": "ask", "to": "use"}]}
        """
      Then the run succeeds
      And "output" of the run is "big heard: say hello"
      And it was asked:
        | method | path         | x-api-key       | authorization | anthropic-version |
        | POST   | /v1/messages | key-of-messages | -             | 2023-06-01        |

    @far-end @GRAPH-017
    Scenario: a request to an overloaded service is retried
      Given a messages endpoint with the key "key-of-messages"
      And the credential "llm" is '{"kind": "api_key", "header": "X-Other", "value": "key-of-messages"}'
      And it refuses the next 2 requests, because it is busy
      When I run the graph:
        """
        {"nodes": [{"id": "ask", "type": "messages_llm.messages", "retry": {"attempts": 3, "backoff": "1ms"}, "config": {
          "credential": "llm", "with": {"model": "big", "api_base": "{far}"}, "input": {"prompt": "p"}, "retry_on": [429, 529]}}]}
        """
      Then the run succeeds
      And it was asked 3 times

  Rule: A chat endpoint can be a service or a program on your own machine

    @far-end @CONN-021 @CONN-022 @CONN-024 @CONN-025 @CONN-026 @CONN-027 @CONN-028
    Scenario: a chat request with a key and a system prompt succeeds
      Given a chat endpoint with the model "large" and the key "key-of-chat"
      And the credential "llm" is '{"kind": "bearer", "token": "key-of-chat"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "ask", "type": "chat_llm.chat", "config": {"credential": "llm",
            "with": {"base_url": "{far}/v1", "model": "large"}, "input": {"prompt": "hello", "system": "be brief"}}},
          {"id": "use", "type": "set", "config": {"values": {"$expr": "nodes.ask.output.body.choices[0].message.content"}}}],
         "edges": [{"from": "ask", "to": "use"}]}
        """
      Then the run succeeds
      And "output" of the run is "system: be brief | user: hello"

    @far-end @CONN-023 @CONN-026 @CONN-027
    Scenario: a chat request without a credential or a system prompt succeeds
      Given a chat endpoint with the model "small" that wants no key
      When I run the node "chat_llm.chat" with:
        """
        {"with": {"base_url": "{far}/v1/", "model": "small"}, "input": {"prompt": "hello"}}
        """
      Then the run succeeds
      And the body of request 1 is '{"model": "small", "messages": [{"role": "user", "content": "hello"}]}'
      And it was asked:
        | method | path                 | authorization |
        | POST   | /v1/chat/completions | -             |

    @CONN-026
    Scenario: a missing prompt is rejected
      When I save the graph "g":
        """
        {"nodes": [{"id": "ask", "type": "chat_llm.chat", "config": {
          "with": {"base_url": "https://llm.example.org/v1", "model": "m"}, "input": {"system": "s"}}}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      # @contract
      And "errors.0.pointer" of the answer is "/nodes/0/config/input/prompt"

    @far-end @GRAPH-018
    Scenario Outline: a rejection by the endpoint is reported: <what>
      Given a chat endpoint with the model "large" and the key "key-of-chat"
      And the credential "llm" is '{"kind": "bearer", "token": "<token>"}'
      When I run the node "chat_llm.chat" with:
        """
        {"credential": "llm", "with": {"base_url": "{far}/v1", "model": "<model>"}, "input": {"prompt": "p"},
         "fail_on_error_status": true}
        """
      Then the run is "failed"
      And "error.message" of the run matches "<status>"
      And "error.message" of the run matches "<says>"

      Examples:
        | what          | token       | model | status | says                   |
        | another key   | key-of-none | large | 401    | Incorrect API key      |
        | another model | key-of-chat | other | 404    | other does not exist   |
