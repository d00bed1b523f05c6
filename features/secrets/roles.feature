Feature: Who can see and set secrets

  Background:
    Given a token of every role
    And the secret "TOKEN" is "hidden-value"

  @AUTH-002
  Scenario Outline: a <role> cannot manage secrets
    When I send "PUT" to "{scoped}/secrets/TOKEN" with the token "{<role>}" and:
      """
      {"value": "of somebody else"}
      """
    Then the answer is 403 with code "forbidden"
    When I send "DELETE" to "{scoped}/secrets/TOKEN" with the token "{<role>}"
    Then the answer is 403 with code "forbidden"
    When I send "GET" to "{scoped}/secrets/TOKEN"
    Then "value" of the answer is "hidden-value"

    Examples:
      | role   |
      | viewer |
      | member |

  @AUTH-002
  Scenario: an admin manages secrets
    When I send "PUT" to "{scoped}/secrets/OTHER" with the token "{admin}" and:
      """
      {"value": "another value"}
      """
    Then the answer is 201
    When I send "DELETE" to "{scoped}/secrets/OTHER" with the token "{admin}"
    Then the answer is 204

  @AUTH-003
  Scenario: members and admins can read values
    When I send "GET" to "{scoped}/secrets/TOKEN" with the token "{viewer}"
    Then the answer is 403 with code "forbidden"
    And the answer lacks "hidden-value"
    When I send "GET" to "{scoped}/secrets/TOKEN" with the token "{member}"
    Then "value" of the answer is "hidden-value"
    When I send "GET" to "{scoped}/secrets/TOKEN" with the token "{admin}"
    Then "value" of the answer is "hidden-value"

  @contract
  Scenario: the audit log shows who read the value, but never the value
    When I send "GET" to "{scoped}/secrets/TOKEN" with the token "{member}"
    Then the answer is 200
    When I send "GET" to "{scoped}/audit"
    Then "entries.0.action" of the answer is "secret.read"
    And "entries.0.subject" of the answer is "TOKEN"
    And the answer lacks "hidden-value"

  @contract
  Scenario: another org cannot see whether a secret exists
    Given another org noted as "rival" with the project "web"
    When I send "GET" to "/api/v1/orgs/{rival}/projects/web/secrets/TOKEN"
    Then the answer is 404 with code "not_found"
