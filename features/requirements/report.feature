Feature: The requirements report of a graph

  Rule: svc graph requirements lists every credential of a stored graph with its state

    @REQ-001 @REQ-002 @REQ-003 @REQ-004 @REQ-005 @REQ-009 @REQ-010 @HTTP-001
    Scenario: the report lists existing and missing credentials
      Given the credential "here" is '{"kind": "bearer", "token": "tok-1-here"}'
      And I save the graph "g":
        """
        {"nodes": [{"id": "get", "type": "http", "config": {"url": "https://example.org/", "credential": "here"}},
                   {"id": "run", "type": "shell", "config": {"script": "true", "credentials": {"A": "away", "B": "here"}}},
                   {"id": "dyn", "type": "http", "config": {"url": "https://example.org/", "credential": {"$expr": "input.who"}}},
                   {"id": "each", "type": "fan_out", "config": {"items": [1],
                     "node": {"type": "http", "config": {"url": "https://example.org/", "credential": "away"}}}}]}
        """
      When I send "GET" to "{scoped}/graphs/g/requirements"
      Then the answer is 200
      And "ready" of the answer is "false"
      And the requirements of "g" are:
        | node_id | name | state   |
        | get     | here | ok      |
        | run     | away | missing |
        | run     | here | ok      |
        | each    | away | missing |
      When I send "GET" to "{scoped}/graphs/none/requirements"
      Then the answer is 404 with code "not_found"

    @REQ-002 @REQ-009
    Scenario: the graph is ready if all credentials are ok
      Given the credential "here" is '{"kind": "bearer", "token": "tok-1-here"}'
      And I save the graph "g":
        """
        {"nodes": [{"id": "get", "type": "http", "config": {"url": "https://example.org/", "credential": "here"}}]}
        """
      When I call "svc graph requirements g --json"
      Then it exits with 0
      And standard output is JSON whose "ready" is "true"
      And standard output is JSON whose "credentials.0.state" is "ok"

    @contract
    Scenario: svc graph requirements exits with 1 if the graph is not ready
      Given I save the graph "g":
        """
        {"nodes": [{"id": "get", "type": "http", "config": {"url": "https://example.org/", "credential": "away"}}]}
        """
      When I call "svc graph requirements g"
      Then it exits with 1
      And standard output matches "^get +away +missing"
      And standard error has "graph g is not ready"

    @REQ-006 @REQ-007 @REQ-011 @ERR-006
    Scenario: the report shows a credential that was replaced by one of another kind
      Given the credential "c" is '{"kind": "bearer", "token": "tok-1-here"}'
      And I save the graph "g":
        """
        {"nodes": [{"id": "get", "type": "http", "config": {"url": "https://example.org/", "credential": "c"}}]}
        """
      And the credential "c" is '{"kind": "url_token", "token": "tok-2-here"}'
      Then the requirements of "g" are:
        | node_id | name | state      | required_kind        | stored_kind |
        | get     | c    | wrong_kind | bearer\|api_key\|basic | url_token   |

    @own-server @configured @REQ-008
    Scenario: the report shows each of the five states
      Given a server of its own with the provider
      And a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And "ana" at the provider is connected as "mail"
      And "ana" at the provider is connected as "spare"
      And the credential "here" is '{"kind": "bearer", "token": "tok-1-here"}'
      And the credential "both" is '{"kind": "bearer", "token": "tok-2-here"}'
      And the credential "pair" is '{"kind": "bearer", "token": "tok-3-here"}'
      When I save the graph "g":
        """
        {"nodes": [{"id": "a", "type": "http", "config": {"url": "https://example.org/", "credential": "here"}},
                   {"id": "b", "type": "http", "config": {"url": "https://example.org/", "credential": "away"}},
                   {"id": "c", "type": "http", "config": {"url": "https://example.org/", "credential": "pair"}},
                   {"id": "d", "type": "http", "config": {"url": "https://example.org/", "credential": "both"}},
                   {"id": "e", "type": "http", "config": {"url": "https://example.org/", "credential": "mail"}}]}
        """
      And the credential "pair" is '{"kind": "url_token", "token": "tok-4-here"}'
      And the store gives the account "spare" the name "both"
      And I call "svc account disable mail"
      Then the requirements of "g" are:
        | node_id | name | state           | required_kind          | stored_kind |
        | a       | here | ok              |                        |             |
        | b       | away | missing         |                        |             |
        | c       | pair | wrong_kind      | bearer\|api_key\|basic | url_token   |
        | d       | both | conflict        |                        |             |
        | e       | mail | needs_reconnect |                        |             |

  Rule: Saving a graph checks its credentials in the same way

    @ERR-002 @ERR-003 @ERR-004 @ERR-005 @REQ-015
    Scenario Outline: a credential of the wrong kind is rejected when the graph is saved: <kind> for <url>
      Given the credential "c" is '<credential>'
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "edges": [],
         "nodes": [{"id": "fetch", "type": "http", "config": {"url": "<url>", "credential": "c"}}]}
        """
      Then the answer is 422 with code "credential_wrong_kind"
      And the answer names the faults "/nodes/0/config/credential"
      And the answer has "fetch"
      And the answer has "<names>"
      And the answer has "<kind>"
      # @contract
      And the answer has "node fetch needs a credential of kind <needed>, but c is of kind <kind>"

      Examples:
        | kind      | credential                                | url                                | needed                 | names     |
        | url_token | {"kind": "url_token", "token": "tok-1-a"} | https://example.org/               | bearer\|api_key\|basic | bearer    |
        | bearer    | {"kind": "bearer", "token": "tok-1-a"}    | https://example.org/{credential}/x | url_token              | url_token |

    @AUTH-011 @AUTH-012 @ERR-001 @REQ-015
    Scenario: a missing credential is a warning when the graph is saved, and is rejected at submit
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "edges": [],
         "nodes": [{"id": "fetch", "type": "http", "config": {"url": "https://example.org/", "credential": "later"}}]}
        """
      Then the answer is 201
      # @contract
      And "warnings.0" of the answer matches "node fetch names the credential later"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"graph": "g"}
        """
      Then the answer is 422 with code "credential_missing"
      And the answer has "fetch"
      # @contract
      And the answer has "node fetch names the credential later, which the project does not have"
      When I call "svc graph publish g"
      Then it exits with 1
      # @contract
      And standard error has "node fetch"

    @contract
    Scenario: svc credential uses lists the graphs that use a credential
      Given the credential "c" is '{"kind": "bearer", "token": "tok-1-here"}'
      And I save the graph "g":
        """
        {"nodes": [{"id": "one", "type": "http", "config": {"url": "https://example.org/", "credential": "c"}},
                   {"id": "two", "type": "shell", "config": {"script": "true", "credentials": {"A": "c"}}}]}
        """
      When I call "svc credential uses c"
      Then standard output matches "^graph +g +node one, two"
