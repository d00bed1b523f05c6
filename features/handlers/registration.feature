Feature: Handler registration

  @contract
  Rule: An invalid registration is rejected

    Scenario Outline: a registration is rejected: <what>
      When I send "PUT" to "{scoped}/handlers/h" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"
      And the answer names the faults "<pointer>"
      When I send "GET" to "{scoped}/handlers/h"
      Then the answer is 404 with code "not_found"

      Examples:
        | what                          | body                                                                  | status | code                  | pointer            |
        | no type                       | {"source": "true"}                                                    | 400    | invalid_request       | /on                |
        | no pattern                    | {"on": [], "source": "true"}                                          | 400    | invalid_request       | /on                |
        | a pattern that is none        | {"on": ["push", "a b"], "source": "true"}                             | 400    | invalid_request       | /on/1              |
        | a star inside                 | {"on": ["*.done"], "source": "true"}                                  | 400    | invalid_request       | /on/0              |
        | nothing to run                | {"on": ["t"]}                                                         | 400    | invalid_request       | /source            |
        | two things to run             | {"on": ["t"], "source": "true", "graph": "g"}                         | 400    | invalid_request       | /graph             |
        | a config of nothing           | {"on": ["t"], "source": "true", "config": {}}                         | 400    | invalid_request       | /config            |
        | a member that nobody knows    | {"on": ["t"], "source": "true", "every": 5}                           | 400    | invalid_request       | /every             |
        | a script that does not parse  | {"on": ["t"], "source": "if then"}                                    | 422    | workflow_invalid      | /source            |
        | a kind that nobody brings     | {"on": ["t"], "source": "true", "kind": "spell"}                      | 400    | workflow_kind_unknown | /kind              |
        | a pipeline, by its file name  | {"on": ["t"], "source": "jobs: {}", "filename": "ci.yaml"}            | 422    | workflow_invalid      | /source            |
        | a node without its config     | {"on": ["t"], "node": "http", "config": {}}                           | 422    | workflow_invalid      | /node              |
        | a credential that is not there | {"on": ["t"], "source": "true", "credentials": {"TOKEN": "nobody"}}  | 422    | credential_missing    | /credentials/TOKEN |
        | a variable of the service     | {"on": ["t"], "source": "true", "env": {"SVC_X": "1"}}                | 400    | invalid_request       | /env/SVC_X         |
        | a capability that is none     | {"on": ["t"], "source": "true", "requires": ["a b"]}                  | 400    | invalid_request       | /requires/0        |

    Scenario: a handler with an invalid name is rejected
      When I send "PUT" to "{scoped}/handlers/no%20name" with:
        """
        {"on": ["t"], "source": "true"}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/path/handler"

  Rule: A registration is created, replaced and removed by name

    @HAND-001
    Scenario: a handler is created, replaced and removed
      When I send "PUT" to "{scoped}/handlers/h" with:
        """
        {"on": ["a", "a"], "filename": "h.sh", "source": "echo first", "when": "true", "tags": ["x"]}
        """
      Then the answer is 201
      And "on" of the answer is '["a"]'
      And "kind" of the answer is "script"
      When I send "PUT" to "{scoped}/handlers/h" with:
        """
        {"on": ["b.*"], "filename": "h.sh", "source": "echo second"}
        """
      Then the answer is 200
      When somebody emits "a" with "{}"
      Then it was delivered to no handler
      When somebody emits "b.c" with "{}"
      Then the handler "h" succeeds
      And the log is:
        """
        second
        """
      When I send "GET" to "{scoped}/handlers/h"
      Then the answer is 200
      And "source" of the answer is "echo second"
      And the answer lacks '"when"'
      When I send "GET" to "{scoped}/handlers"
      Then "handlers.0.name" of the answer is "h"
      And the answer lacks "echo second"
      When I send "DELETE" to "{scoped}/handlers/h"
      Then the answer is 204
      When I send "DELETE" to "{scoped}/handlers/h"
      Then the answer is 404 with code "not_found"
      When somebody emits "b.c" with "{}"
      Then it was delivered to no handler

    @contract
    Scenario: members write, viewers read, and the author is stored
      Given a token of every role
      When I send "PUT" to "{scoped}/handlers/h" with the token "{viewer}" and:
        """
        {"on": ["t"], "source": "true"}
        """
      Then the answer is 403 with code "forbidden"
      When I send "PUT" to "{scoped}/handlers/h" with the token "{member}" and:
        """
        {"on": ["t"], "source": "true"}
        """
      Then the answer is 201
      When I send "GET" to "{scoped}/handlers/h" with the token "{viewer}"
      Then the answer is 200
      When I send "GET" to "{scoped}/audit"
      Then "entries.0.action" of the answer is "handler.set"
      And "entries.0.subject" of the answer is "h"

    @contract
    Scenario: other projects cannot see a handler, and their events do not start it
      Given the handler "h" on "*" runs "note.sh":
        """
        true
        """
      When I work in another project
      And I send "GET" to "{scoped}/handlers/h"
      Then the answer is 404 with code "not_found"
      When somebody emits "t" with "{}"
      Then it was delivered to no handler
