Feature: Untrusted runs and credentials

  @own-server @configured @AUTH-024 @AUTH-025 @AUTH-027 @needs-cc
  Scenario: an untrusted run gets no secrets, variables or credentials, and fails if it declares a credential
    Given the clone is noted as "clone"
    And a server and an agent of their own with:
      | SVC_PLUGINS | {clone}/test/plugins/outsider |
    And the secret "TOKEN" is "hidden-value"
    And the variable "PLACE" is "hidden-place"
    And the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
    When I send "POST" to "{scoped}/outsiders" with:
      """
      {"source": "test -z \"${TOKEN-}\"\nif env | grep hidden; then exit 1; fi\n"}
      """
    And I take the run of the answer
    Then the run succeeds
    And "trusted" of the run is "false"
    When I send "POST" to "{scoped}/outsiders" with:
      """
      {"source": "test -z \"${TOKEN-}\"\n", "parent": "{run}"}
      """
    And I take the run of the answer
    Then the run succeeds
    And "trusted" of the run is "false"
    When I send "POST" to "{scoped}/outsiders" with:
      """
      {"source": "echo it ran\n", "credentials": {"TOKEN": "bot"}}
      """
    And I take the run of the answer
    Then the run fails with code "untrusted_run_declares_credential"
    And the log lacks "it ran"
