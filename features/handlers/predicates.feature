Feature: Predicates of handlers

  Rule: A run starts only if the predicate is true, but the event is always recorded

    @HAND-018 @HAND-019 @HAND-020 @EVT-016 @EVT-018
    Scenario: a predicate tests the type and the payload
      Given the handler "large" with '{"on": ["order.*"], "when": "event.type == \'order.paid\' && event.payload.total > 99.5"}' runs "note.sh":
        """
        true
        """
      When somebody emits "order.paid" with '{"payload": {"total": 20}}'
      Then it was delivered so:
        | name  | state    | reason                 |
        | large | declined | the predicate is false |
      And the handler "large" ran 0 times
      When somebody emits "order.asked" with '{"payload": {"total": 120}}'
      Then the handler "large" ran 0 times
      When somebody emits "order.paid" with '{"payload": {"total": 100}}'
      Then the handler "large" succeeds
      And the project has 2 events of type "order.paid"

    @EVT-017 @SUBJ-015
    Scenario: a predicate tests the key
      Given the handler "shop" with '{"on": ["deploy"], "when": "has(event.key) && event.key == \'shop\'"}' runs "note.sh":
        """
        true
        """
      When somebody emits "deploy" with "{}"
      Then it was delivered so:
        | name | state    | reason                 |
        | shop | declined | the predicate is false |
      When somebody emits "deploy" with '{"key": "web"}'
      Then the handler "shop" ran 0 times
      When somebody emits "deploy" with '{"key": "shop"}'
      Then the handler "shop" succeeds

    @HAND-021
    Scenario: has() guards optional fields
      Given the handler "ci" with '{"on": ["t"], "when": "has(event.payload.trigger.repo) && has(event.payload.trigger.sha)"}' runs "note.sh":
        """
        true
        """
      When somebody emits "t" with '{"payload": {"trigger": {"repo": "acme/web"}}}'
      Then it was delivered so:
        | name | state    | reason                 |
        | ci   | declined | the predicate is false |
      When somebody emits "t" with '{"payload": {"trigger": {"repo": "acme/web", "sha": "abc"}}}'
      Then the handler "ci" succeeds

    @ERR-047
    Scenario Outline: a predicate that cannot be evaluated declines and gives the reason: <when>
      Given the handler "h" with '{"on": ["t"], "when": "<when>"}' runs "note.sh":
        """
        true
        """
      When somebody emits "t" with '{"payload": {"text": "abc"}}'
      Then it was delivered so:
        | name | state    | reason   |
        | h    | declined | <reason> |
      And the handler "h" ran 0 times

      Examples:
        | when                             | reason                                                |
        | event.payload.sha == 1           | cannot be evaluated: event.payload.sha: no such field |
        | event.payload.text + 1 == 2      | line 1, column 20: \+ does not take string, int       |
        | event.payload.text               | neither true nor false                                |
        | has(event.payload.trigger.repo)  | event.payload.trigger: no such field                  |
        | event.payload.text.constructor   | event.payload.text.constructor: no such field         |

    @contract
    Scenario: a predicate that takes too long is stopped
      Given the handler "h" with '{"on": ["t"], "when": "event.payload.all(x, event.payload.all(y, event.payload.all(z, x + y + z >= 0)))"}' runs "note.sh":
        """
        true
        """
      And a list of 300 numbers noted as "numbers"
      When somebody emits "t" with '{"payload": {numbers}}'
      Then it was delivered so:
        | name | state    | reason               |
        | h    | declined | takes too much work  |

  @contract
  Rule: A predicate that does not compile is rejected with line and column

    Scenario Outline: the predicate <when> is rejected with line and column
      When I send "PUT" to "{scoped}/handlers/h" with:
        """
        {"on": ["t"], "source": "true", "when": "<when>"}
        """
      Then the answer is 400 with code "expression_invalid"
      And the answer names the faults "/when"
      And "problems.0.line" of the answer is "1"
      And "problems.0.column" of the answer is "<column>"

      Examples:
        | when                   | column |
        | event.type ==          | 12     |
        | steps.build == 1       | 1      |
        | true \|\| vars.x       | 9      |
        | event.shout()          | 6      |
        | event.type.matches('(')| 20     |
