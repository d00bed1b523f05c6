@contract
Feature: Invalid secrets

  Scenario Outline: a secret is rejected if its value <what>
    When I send "PUT" to "{scoped}/secrets/TOKEN" with:
      """
      {"value": <value>}
      """
    Then the answer is 400 with code "invalid_request"
    And the answer names the faults "/value"
    When I send "GET" to "{scoped}/secrets/TOKEN"
    Then the answer is 404 with code "not_found"

    Examples:
      | what                                        | value        |
      | is empty                                    | ""           |
      | is too short to be masked                   | "abc"        |
      | has three characters of many bytes          | "😀😀😀"     |
      | holds a NUL                                 | "ab\u0000cd" |
      | is no text                                  | 12345        |

  Scenario Outline: the secret name <name> is rejected
    When I send "PUT" to "{scoped}/secrets/<name>" with:
      """
      {"value": "some value"}
      """
    Then the answer is 400 with code "invalid_request"
    And the answer names the faults "/path/secret"

    Examples:
      | name           |
      | 1ST            |
      | WITH-DASH      |
      | SVC_TOKEN      |
      | CI_TRIGGER_SHA |
      | PATH           |
      | LD_PRELOAD     |

  Scenario: a value that is too short is rejected with the reason
    When I call "svc secret set TOKEN -" with standard input:
      """
      abc
      """
    Then it exits with 1
    And standard error has "cannot be masked"
