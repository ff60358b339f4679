/// One of those who take part in a race.
struct Entry {
    /// Different from the race's others.
    let name: String
    let contender: Contender
    let job: Job
    var load = Load.none
}
