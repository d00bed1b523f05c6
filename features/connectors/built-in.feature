Feature: The connectors that come with the service

  Rule: Built-in connectors are listed as documents with neutral names

    @HTTP-002 @OVW-004 @MAN-002 @MAN-003 @MAN-004 @MAN-005 @MAN-007 @MAN-009
    Scenario: each built-in connector lists its actions and deliveries
      Then the connectors have:
        | name           | credential.kind | credential.required | fields                    | actions                             |
        | federated_chat | bearer          | -                   | homeserver! room_id!      | send_message                        |
        | messages_llm   | api_key         | -                   | model! max_tokens api_base | messages                           |
        | chat_llm       | bearer          | false               | base_url! model!          | chat                                |
        | team_chat      | bearer          | -                   | channel! api_base         | post_message                        |
        | bot_chat       | url_token       | -                   | chat_id! api_base         | send_message                        |
        | forge_a        | bearer          | -                   | context api_base          | set_commit_status report_run_status |
        | forge_b        | bearer          | -                   | context api_base!         | set_commit_status report_run_status |
        | issue_tracker  | basic           | -                   | site! project             | create_issue add_comment transition search |
      And the connectors have:
        | name           | actions.send_message.inputs | actions.chat.inputs                      |
        | federated_chat | text! (markdown)            | -                                        |
        | chat_llm       | -                           | prompt! system temperature max_tokens    |
        | bot_chat       | text! parse_mode            | -                                        |

    @HTTP-002
    Scenario: the list has pages, and a single connector can be requested
      When I send "GET" to "{scoped}/connectors?limit=2"
      Then the answer is 200
      And "connectors.0.name" of the answer is "bot_chat"
      And "connectors.1.name" of the answer is "chat_llm"
      When "next_cursor" of the answer is noted as "cursor"
      And I send "GET" to "{scoped}/connectors?limit=1&cursor={cursor}"
      Then "connectors.0.name" of the answer is "deploy_hook"
      When I send "GET" to "{scoped}/connectors/team_chat"
      Then "manifest" of the answer is "svc-connector/v1"
      When I send "GET" to "{scoped}/connectors/none"
      Then the answer is 404 with code "not_found"

    @contract
    Scenario: the command line lists connectors too
      When I call "svc connector ls"
      Then standard output matches "chat_llm +Chat LLM +bearer\? +chat\s"
      When I call "svc connector show forge_a"
      Then standard output has "context: string, default \"svc\""
      And standard output has "state: error | failure | pending | success, required"
      When I call "svc connector show messages_llm --json"
      Then standard output is JSON whose "credential.header" is "x-api-key"
      When I call "svc connector show none"
      Then it exits with 1
      And standard error has "not_found"

  @contract
  Rule: Each built-in connector is a plugin

    Scenario: the plugin tree shows the connectors
      When I call "svc plugins"
      Then standard output matches "connector:team_chat 1\.0\.0"
      And standard output has "contributes: manifests.Connectors"
