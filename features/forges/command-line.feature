@contract
Feature: Webhooks on the command line

  Scenario: a webhook is set, shown, listed and removed
    Given a file "ci.sh":
      """
      echo "at $CI_TRIGGER_SHA"
      """
    When I call "svc webhook set site --forge forge_a --repo acme/site --workflow {folder}/ci.sh --tag kind:ci --env LEVEL=1"
    Then standard output matches "^address +http.*/api/v1/forges/whk_[0-9A-Z]{26}$"
    And standard output matches "^secret +[A-Za-z0-9_-]{43}$"
    And standard error has "the secret is shown only once"
    When I call "svc webhook show site"
    Then standard output lacks "secret"
    And standard output matches "^workflow +ci.sh$"
    When I call "svc webhook ls --json"
    Then standard output is JSON whose "webhooks.0.workflow.filename" is "ci.sh"
    When I call "svc webhook set site --forge forge_a --repo acme/site --rotate"
    Then standard output matches "^secret +[A-Za-z0-9_-]{43}$"
    When I call "svc webhook rm site"
    Then standard error has "Removed webhook site"
    When I call "svc webhook show site"
    Then it exits with 1
    And standard error has "not_found"

  Scenario Outline: svc webhook set rejects <what> before anything is sent
    When I call "svc webhook set site <flags>"
    Then it exits with 2
    And standard error has "<says>"

    Examples:
      | what                       | flags                                                                      | says         |
      | a forge that is missing    | --repo acme/site                                                           | --forge      |
      | a repository that is missing | --forge forge_a                                                          | --repo       |
      | two workflows              | --forge forge_a --repo acme/site --pipeline a.yml --workflow b.sh          | --pipeline   |
      | no token to register with  | --forge forge_a --repo acme/site --auto-register                           | --credential |
      | a variable of no workflow  | --forge forge_a --repo acme/site --env A=1                                 | --env        |
