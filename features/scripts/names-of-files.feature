@contract
Feature: Errors show the author's files

  Scenario: errors show the script, an included file and a pipeline step
    Given a file "job.sh":
      """
      set -u
      . "$(dirname "$0")/lib/words.sh"
      """
    And a file "lib/words.sh":
      """
      echo "$nothing"
      """
    When I call "svc submit job.sh --include lib --follow"
    Then it exits with 1
    And standard error matches "^lib/words\.sh: line 1: nothing: unbound variable$"
    And standard error lacks "/source/"
    And the text "unbound variable" stands in standard error 1 time
    When I call "svc explain @last"
    Then it exits with 0
    And standard output has "lib/words.sh: line 1: nothing: unbound variable"
    And standard output lacks "/source/"
    Given a file "ci.yml":
      """
      jobs: { build: { steps: [{ name: compile, run: "set -u; echo $nothing" }] } }
      """
    When I call "svc submit ci.yml --follow"
    Then it exits with 1
    And standard error has "compile: line 1: nothing: unbound variable"
    And standard error lacks "/source/"
