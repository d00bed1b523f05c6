@far-end
Feature: Credentials of requests

  Rule: Each kind of credential authenticates as the server expects

    @OVW-015 @GRAPH-011 @AUTH-005 @AUTH-006
    Scenario: a bearer credential is sent as a bearer token
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-1-canary"}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot"}
        """
      Then the run succeeds
      And the far end got:
        | path | authorization       |
        | /x   | Bearer tok-1-canary |
      And nobody can read "tok-1-canary" anywhere in the run

    @AUTH-005 @AUTH-007
    Scenario: a username and password are sent as basic authentication
      Given a far end
      And the credential "pair" is '{"kind": "basic", "username": "ann", "password": "pass-1-canary"}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "pair"}
        """
      Then the run succeeds
      And the far end got:
        | authorization                      |
        | Basic YW5uOnBhc3MtMS1jYW5hcnk=     |

    @AUTH-005 @AUTH-008 @CRED-011
    Scenario Outline: an API key is sent in the header that it names: <header>
      Given a far end
      And I call "svc credential set key --kind api-key --header <header> --value -" with standard input:
        """
        key-1-canary
        """
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "key"}
        """
      Then the run succeeds
      And the far end got:
        | <header>     |
        | key-1-canary |

      Examples:
        | header        |
        | X-Api-Key     |
        | Authorization |

    @AUTH-005 @AUTH-009
    Scenario: a token replaces its placeholder in the URL, and messages show the placeholder
      Given a far end that answers:
        | path                      | status | body                  |
        | /bot12:tok-1-canary/send  | 500    | tok-1-canary is wrong |
      And the credential "chat" is '{"kind": "url_token", "token": "12:tok-1-canary"}'
      When I run the node "http" with:
        """
        {"url": "{far}/bot{credential}/send", "credential": "chat", "fail_on_error_status": true}
        """
      Then the run fails with code "request_failed"
      And "error.message" of the run matches "{far}/bot\{credential\}/send"
      # @contract
      And "error.message" of the run matches "{far}/bot\{credential\}/send answered 500"
      And the far end got:
        | path                     |
        | /bot12:tok-1-canary/send |
      And nobody can read "12:tok-1-canary" anywhere in the run

    @AUTH-010
    Scenario: a header set by the node takes precedence, in upper or lower case
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-1-canary"}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot", "headers": {"AUTHORIZATION": "Own scheme"}}
        """
      Then the run succeeds
      And the far end got:
        | authorization |
        | Own scheme    |

  Rule: Documents contain only credential names

    @CRED-002
    Scenario: a stored graph shows the credential's name
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-1-canary"}'
      When I save the graph "g":
        """
        {"nodes": [{"id": "call", "type": "http", "config": {"url": "{far}/x", "credential": "bot"}}]}
        """
      And I call "svc graph show g --source"
      Then standard output has '"credential": "bot"'
      And standard output lacks "tok-1-canary"

  Rule: A request is not sent without its credential

    @AUTH-011 @AUTH-012 @ERR-001
    Scenario: a submission of a stored graph is rejected with the node's name
      Given a far end
      When I save the graph "g":
        """
        {"nodes": [{"id": "call", "type": "http", "config": {"url": "{far}/x", "credential": "nobody"}}]}
        """
      And I send "POST" to "{scoped}/runs" with:
        """
        {"graph": "g"}
        """
      Then the answer is 422 with code "credential_missing"
      And the answer has "call"
      And the answer has "nobody"
      And the far end got 0 requests

    @AUTH-013 @AUTH-014 @AUTH-015 @ERR-008
    Scenario Outline: a credential name computed by an expression is checked: <kind>
      Given a far end
      And the credential "pair" is '{"kind": "basic", "username": "ann", "password": "pass-1-canary"}'
      And the credential "chat" is '{"kind": "url_token", "token": "12:tok-1-canary"}'
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "http", "retry": {"attempts": 3, "backoff": "1h"},
          "config": {"url": "{far}/x<hole>", "credential": {"$expr": "'<name>'"}}}]}
        """
      Then the run fails with code "<code>"
      And the run fails and its error has "call"
      And the run fails and its error has "<name>"
      And the far end got 0 requests

      Examples:
        | kind                   | name   | hole         | code                  |
        | nothing has it         | nobody |              | credential_missing    |
        | a token without place  | chat   |              | credential_wrong_kind |
        | a pair for a place     | pair   | {credential} | credential_wrong_kind |

    @AUTH-015
    Scenario: a request fails if its credential is removed after the submission
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-1-canary"}'
      When I run the graph:
        """
        {"nodes": [{"id": "go", "type": "wait_signal", "config": {"name": "go"}},
                   {"id": "call", "type": "http", "config": {"url": "{far}/x", "credential": "bot"}}],
         "edges": [{"from": "go", "to": "call"}]}
        """
      Then the run waits for "signal" "go"
      When I call "svc credential rm bot"
      And I send the signal "go" with "null"
      Then the run fails with code "credential_missing"
      And the far end got 0 requests
