@contract
Feature: A push applies a project's files

  @store @needs-git
  Scenario: a handler checks out the pushed commit and applies its folder with its own token
    Given a token noted as "apply" with:
      """
      {"org": "{org}", "project": "{project}", "role": "admin"}
      """
    And a file "p/handlers/apply.yaml":
      """
      on: [push]
      when: event.trusted && event.repo == "acme/config" && event.ref == "refs/heads/main"
      checkout: true
      concurrency: {limit: 1}
      credentials: {APPLY_TOKEN: apply-token}
      env: {SERVER: "{base_url}", ORG: "{org}", PROJECT: "{project}"}
      file: apply.sh
      """
    And a file "p/handlers/apply.sh":
      """
      export SVC_URL="$SERVER" SVC_ORG="$ORG" SVC_PROJECT="$PROJECT" SVC_TOKEN="$APPLY_TOKEN"
      svc apply -f project
      """
    And the webhook "config" with '{"forge": "forge_a", "repo": "acme/config"}'
    And a repository "config" whose "project/handlers/greet.yaml" is:
      """
      on: [greet]
      source: echo hello
      filename: greet.sh
      """
    When I call "svc credential set apply-token --kind bearer --token -" with standard input:
      """
      {apply}
      """
    And I call "svc apply -f {folder}/p"
    Then it exits with 0
    When forge_a delivers "push" to "config":
      """
      {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/config", "clone_url": "file://{folder}/repos/config"}, "commits": []}
      """
    Then the run of "apply" is "succeeded"
    And the log has "created handlers/greet"
    And the log lacks "{apply}"
    When I call "svc handler show greet --source"
    Then standard output is "echo hello"
    When I call "svc audit ls --json"
    Then standard output has "apply.mark"
