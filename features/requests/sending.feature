Feature: What a request contains

  @far-end @GRAPH-008 @GRAPH-009 @GRAPH-010
  Scenario: The URL, method and headers are sent unchanged
    Given a far end
    When I run the node "http" with:
      """
      {"url": "{far}/items?a=1", "method": "PUT", "headers": {"X-One": "1", "Content-Type": "application/x-own"},
       "query": {"b": "x&y"}, "body": {"k": [1, null]}}
      """
    Then the run succeeds
    And the far end got:
      | method | path                 | x-one | content-type      | body           |
      | PUT    | /items?a=1&b=x%26y   | 1     | application/x-own | {"k":[1,null]} |

  @far-end @contract
  Scenario Outline: a body can have another encoding: <encoding>
    Given a far end
    When I run the node "http" with:
      """
      {"url": "{far}/x", "body": <body>, "encoding": "<encoding>"}
      """
    Then the run succeeds
    And the far end got:
      | method | content-type | body   |
      | POST   | <type>       | <sent> |

    Examples:
      | encoding | body                       | type                              | sent    |
      | form     | {"a": "1 2", "b": ["x", 3]} | application/x-www-form-urlencoded | a=1+2&b=x&b=3 |
      | text     | "a <b>"                    | text/plain; charset=utf-8         | a <b>   |
      | json     | "a <b>"                    | application/json                  | "a <b>" |

  @far-end @contract
  Scenario: values come from expressions, and each fan-out item has a separate key
    Given a far end
    When I run the graph:
      """
      {"nodes": [{"id": "all", "type": "fan_out", "config": {"items": ["a", "b"], "concurrency": 1,
        "node": {"type": "http", "config": {"url": {"$expr": "'{far}/' + item"}, "method": "POST"}}}}]}
      """
    Then the run succeeds
    And the far end got:
      | method | path |
      | POST   | /a   |
      | POST   | /b   |
    And "Idempotency-Key" of request 1 matches "^{run}~all~0$"
    And "Idempotency-Key" of request 2 matches "^{run}~all~1$"

  @far-end @contract
  Scenario: a key set by the author replaces the default key
    Given a far end
    When I run the graph:
      """
      {"nodes": [{"id": "call", "type": "http", "idempotency_key": "order-7",
        "config": {"url": "{far}/x", "method": "POST"}}]}
      """
    Then the run succeeds
    And "Idempotency-Key" of request 1 matches "^order-7$"

  @contract
  Rule: An invalid request is rejected when the graph is saved

    Scenario Outline: a node with the config <config> is rejected
      When I save the graph "g":
        """
        {"nodes": [{"id": "call", "type": "http", "config": <config>}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "<pointer>"

      Examples:
        | config                                                 | pointer                               |
        | {}                                                     | /nodes/0/config/url                   |
        | {"url": "nowhere"}                                     | /nodes/0/config/url                   |
        | {"url": "file:///etc/passwd"}                          | /nodes/0/config/url                   |
        | {"url": "https://a.example/", "method": "TRACE"}       | /nodes/0/config/method                |
        | {"url": "https://a.example/", "headers": {"Host": "x"}} | /nodes/0/config/headers/Host         |
        | {"url": "https://a.example/", "headers": {"a b": "x"}} | /nodes/0/config/headers/a b           |
        | {"url": "https://a.example/", "retry_on": ["503"]}     | /nodes/0/config/retry_on/0            |
        | {"url": "https://a.example/", "retries": 3}            | /nodes/0/config/retries               |
        | {"url": "https://a.example/", "timeout": "2h"}         | /nodes/0/config/timeout               |
        | {"url": "https://a.example/{credential}"}              | /nodes/0/config/credential            |

    @far-end
    Scenario Outline: an invalid result of an expression is rejected before anything is sent: <config>
      Given a far end
      When I run the node "http" with:
        """
        <config>
        """
      Then the run fails with code "request_invalid"
      And the far end got 0 requests

      Examples:
        | config                                                              |
        | {"url": {"$expr": "'nowhere'"}}                                     |
        | {"url": {"$expr": "'{far}/' + '{credential}'"}}                     |
        | {"url": "{far}/x", "headers": {"a": {"$expr": "'x\\\\r\\\\ny: z'"}}}    |
        | {"url": "{far}/x", "method": {"$expr": "'TRACE'"}}                  |
