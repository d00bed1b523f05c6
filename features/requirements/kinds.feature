Feature: Kinds of credentials in the requirements report

  Rule: The API names credential kinds as manifests do, even if the command line spells them differently

    @REQ-006 @REQ-007 @REQ-011 @ERR-006 @CRED-007 @CRED-010 @CRED-013 @CRED-016
    Scenario Outline: a credential was replaced by one of the wrong kind after the save: <stored>
      Given the credential "bot" is '<before>'
      When I save the graph "g":
        """
        {"nodes": [{"id": "call", "type": "<type>", "config": <config>}]}
        """
      And I call "svc credential set bot <now>" with standard input:
        """
        value-1-canary
        """
      And I send "GET" to "{scoped}/graphs/g/requirements"
      Then "ready" of the answer is "false"
      And "credentials.0.state" of the answer is "wrong_kind"
      And "credentials.0.node_id" of the answer is "call"
      And "credentials.0.required_kind" of the answer is "<required>"
      And "credentials.0.stored_kind" of the answer is "<stored>"

      Examples:
        | type                   | before                                                          | config                                                                                  | now                                    | required               | stored    |
        | messages_llm.messages  | {"kind": "api_key", "header": "X-Key", "value": "val-1-canary"} | {"credential": "bot", "with": {"model": "m"}, "input": {"prompt": "p"}}                 | --kind bearer --token -                | api_key                | bearer    |
        | team_chat.post_message | {"kind": "bearer", "token": "tok-1-canary"}                     | {"credential": "bot", "with": {"channel": "c"}, "input": {"text": "t"}}                 | --kind api-key --header X-K --value -  | bearer                 | api_key   |
        | bot_chat.send_message  | {"kind": "url_token", "token": "tok-1-canary"}                  | {"credential": "bot", "with": {"chat_id": "1"}, "input": {"text": "t"}}                 | --kind basic --username u --password - | url_token              | basic     |
        | http                   | {"kind": "bearer", "token": "tok-1-canary"}                     | {"credential": "bot", "url": "https://example.org/"}                                    | --kind url-token --token -             | bearer\|api_key\|basic | url_token |
