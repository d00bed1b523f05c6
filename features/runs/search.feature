@contract
Feature: Runs are found by their content

  Rule: A search finds ended runs by words in their output and error, and by the names of their steps

    @store
    Scenario: runs are found by words in an output, an error and a step's output, and by a step's name
      When I submit the script "fruit.sh" as "fruit":
        """
        svc step Peel-it -- echo "a papaya, peeled"
        svc output set order="Kiwi 42" more="x"
        """
      Then the run succeeds
      When I submit the script "broken.sh" as "broken":
        """
        svc step peel-it -- true
        exit 7
        """
      Then the run is "failed"
      And "svc runs ls --output papaya" soon lists "fruit.sh"
      When I call "svc runs ls --output 'kiwi ORDER' --json"
      Then standard output is JSON whose "runs.length" is "1"
      And standard output is JSON whose "search.complete" is "true"
      When I call "svc runs ls --output 'kiwi banana'"
      Then it exits with 0
      And standard error has "no runs"
      And "svc runs ls --error 'code 7'" soon lists "broken.sh"
      When I call "svc runs ls --step peel-it --json"
      Then standard output is JSON whose "runs.length" is "2"
      When I call "svc runs ls --step peel-it --status failed --json"
      Then standard output is JSON whose "runs.length" is "1"
      When I call "svc runs ls --step peel"
      Then standard error has "no runs"
      When I call "svc runs rerun --step peel-it --status succeeded"
      Then standard error has "add --yes to rerun 1 run"

  Rule: A secret value is not found

    @store
    Scenario: a search finds the words around a secret value, but not the words in it
      Given the secret "TOKEN" is "hunter2canary77"
      When I submit the script "print.sh":
        """
        svc step show -- sh -c 'echo "value $TOKEN ends"'
        svc output set seen="$TOKEN"
        """
      Then the run succeeds
      And "svc runs ls --output 'value ends'" soon lists "print.sh"
      When I call "svc runs ls --output hunter2canary77"
      Then it exits with 0
      And standard error has "no runs"

  Rule: An empty filter selects nothing, and is an error

    Scenario: a filter with an unset variable is rejected
      When I call "svc runs ls --output ''"
      Then it exits with 1
      And standard error has "output must have at least 1 character"
      When I call "svc runs ls --output '--- !'"
      Then it exits with 1
      And standard error has "output has no word"
      When I call "svc runs ls --status ''"
      Then it exits with 2
      And standard error has "--status is empty"
      When I call "svc runs cancel --all --status '' --yes"
      Then it exits with 2
      When I call "svc runs rerun --all --tag '' --yes"
      Then it exits with 1
      And standard error has "tag must have at least 1 character"
      When I call "svc runs pause --workflow '' --yes"
      Then it exits with 1
      And standard error has "workflow must have at least 1 character"
